import CGPhoto2
import GPhoto2Wire

/// Goes through a camera's folders, each once, no deeper and no longer than any real card needs.
struct Walk: IteratorProtocol {
    private static let depth = 32, limit = 500_000

    let camera: OpenCamera
    let context: OpaquePointer?
    private var folders: [(path: [UInt8], depth: Int)] = [([UInt8(ascii: "/")], 0)]
    private var seen: Set<[UInt8]> = [[UInt8(ascii: "/")]]
    private var names: [[UInt8]] = []
    private var folder: [UInt8] = []
    private var count = 0
    private var isOver = false

    init(camera: OpenCamera, context: OpaquePointer?) { (self.camera, self.context) = (camera, context) }

    mutating func next() -> Result<GPhotoFile, GPFailure>? {
        while !isOver {
            if let name = names.popLast() {
                let path = GPhotoPath(folder: folder, name: name)
                guard !name.isEmpty, let file = camera.facts(path, context) else { continue }
                count += 1
                isOver = count >= Self.limit
                return .success(file)
            }
            guard let place = folders.popLast() else { return nil }
            if let failure = enter(place.path, place.depth) {
                isOver = true
                return .failure(failure)
            }
        }
        return nil
    }

    private mutating func enter(_ path: [UInt8], _ depth: Int) -> GPFailure? {
        guard let files = GPList(), let inner = GPList() else { return GPFailure(code: GP_ERROR_NO_MEMORY) }
        let code = gp_camera_folder_list_files(camera.raw, Text.c(path), files.raw, context)
        guard code >= 0 else { return GPFailure(code: code) }
        (folder, names) = (path, (0..<files.count).reversed().compactMap { files.name($0) })
        guard depth < Self.depth else { return nil }
        let below = gp_camera_folder_list_folders(camera.raw, Text.c(path), inner.raw, context)
        // Folders that are not shown must not pass for none.
        guard below >= 0 else { return below == GP_ERROR_NOT_SUPPORTED ? nil : GPFailure(code: below) }
        let slash = UInt8(ascii: "/")
        for index in (0..<inner.count).reversed() {
            // A folder without a name would be its own parent for ever.
            guard let name = inner.name(index), !name.isEmpty, !name.contains(slash) else { continue }
            let full = (path.last == slash ? path : path + [slash]) + name
            if seen.count < Self.limit, seen.insert(full).inserted { folders.append((full, depth + 1)) }
        }
        return nil
    }
}
