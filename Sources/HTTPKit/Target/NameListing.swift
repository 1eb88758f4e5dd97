public import FilmgateCore

/// What a target's folders hold, each listed once per run: a name that was not there needs no question of its own.
///
/// Over a long way that is one round trip per folder instead of two per file. What others put there meanwhile is the business of
/// `If-None-Match` and its like.
public actor NameListing {
    /// Names in a folder (empty: the root); nil when the server does not tell, or tells of too many.
    public typealias Load = @Sendable (_ folder: String) async throws(IngestError) -> Set<String>?
    private let load: Load
    private var folders: [String: Task<Result<Set<String>?, IngestError>, Never>] = [:]
    private var sent: Set<String> = []

    public init(_ load: @escaping Load) { self.load = load }

    /// True: nothing stood at `path` when its folder was listed, and nothing was sent there since.
    ///
    /// False: ask the server. Letters' case is ignored: what differs only in it may be one name there.
    public func isFree(_ path: String) async throws(IngestError) -> Bool {
        let folded = SafeName.folded(path)
        if sent.contains(folded) { return false }
        let cut = Self.cut(path)
        guard let names = try await names(in: cut.folder) else { return false }
        return !names.contains(SafeName.folded(cut.name)) && !sent.contains(folded)
    }

    /// From now on only the server knows about `path`.
    public func note(_ path: String) { sent.insert(SafeName.folded(path)) }

    private func names(in folder: String) async throws(IngestError) -> Set<String>? {
        let task: Task<Result<Set<String>?, IngestError>, Never>
        if let running = folders[folder] {
            task = running
        } else {
            let load = load
            task = Task {
                await Result { () async throws(IngestError) in
                    try await load(folder).map { Set($0.map { SafeName.folded($0) }) }
                }
            }
            folders[folder] = task
        }
        let result = await task.value
        if case .failure = result { folders[folder] = nil }
        return try result.get()
    }

    private static func cut(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: 0x2F) else { return ("", path) }
        return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
    }
}
