import FilmgateCore
import FilmgateLedger

/// What people said of files, as a list shows it.
struct FrameMarks: Sendable {
    private let marks: [String: PictureMark], authors: [Int64: MarkAuthor]

    init(_ sha256s: [String], _ reader: SQLiteReader) async throws(IngestError) {
        marks = try await reader.marks(of: sha256s)
        authors = try await reader.authors(ofMarks: Set(marks.values.map(\.revision)))
    }

    /// Those alone that were said, without who said them.
    func addBrief(_ sha256: String?, camera: Int?, to object: inout JSONWriter) {
        let mark = sha256.flatMap { marks[$0] } ?? PictureMark(), pick = mark.pick(camera: camera)
        if let stars = mark.rating ?? camera.flatMap({ $0 > 0 ? $0 : nil }) { object.add("rating", stars) }
        if pick != .none { object.add("pick", pick.rawValue) }
        if let colour = mark.colour, colour > 0 { object.add("colour", colour) }
    }

    /// `camera`: the file's own rating, which counts where nobody said another.
    ///
    /// Below `operate` nobody is named.
    func add(_ sha256: String?, camera: Int?, _ role: Role, to object: inout JSONWriter) {
        let mark = sha256.flatMap { marks[$0] } ?? PictureMark()
        let author = role >= .operate ? authors[mark.revision] : nil
        let stars = mark.rating ?? camera.flatMap { $0 > 0 ? $0 : nil }
        object.add("rating", stars)
        object.add("pick", mark.pick(camera: camera).rawValue)
        object.add("colour", mark.colour ?? 0)
        object.add("marked_by", author?.by)
        object.add("marked_at", StudioAPI.time(author?.at))
    }
}
