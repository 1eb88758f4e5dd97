import FilmgateCore
import GPhoto2Wire

/// The files of a camera: which the engine was told about, and the bytes that libgphoto2 knows those by that are still
/// to be read.
///
/// Of a file that has its ending eight bytes are kept, however long a shoot goes on.
struct GPhotoFiles: Sendable {
    private struct Place: Sendable { var path: GPhotoPath, file: Int }
    /// By the path in the volume.
    private var places: [String: Place] = [:]
    /// As hashes of sixty-four bits: among all files of a shoot no two are alike.
    private var told = PackedTable<Void>()

    /// How many are still to be read, and how many were told.
    var counts: (open: Int, told: Int) { (places.count, told.count) }

    subscript(origin: Origin) -> GPhotoPath? { places[origin.volumePath]?.path }

    func isTold(_ origin: Origin) -> Bool { told[origin.id.hashValue] != nil }

    mutating func note(_ path: GPhotoPath, _ origin: Origin) {
        places[origin.volumePath] = Place(path: path, file: origin.id.hashValue)
        _ = told.insert(origin.id.hashValue)
    }

    /// It has its ending, and is not asked for again.
    ///
    /// Where nothing in a listing stands for its bytes, the next file may look the same, and be still to be read.
    mutating func settle(_ origin: Origin) {
        guard origin.evidence > .nothing, places[origin.volumePath]?.file == origin.id.hashValue else { return }
        places[origin.volumePath] = nil
    }
}
