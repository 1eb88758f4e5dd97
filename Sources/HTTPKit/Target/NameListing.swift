public import FilmgateCore

/// What a target's folders hold, each listed once per run: a name that was not there needs no question of its own.
///
/// Over a long way that is one round trip per folder instead of two per file. What others put there meanwhile is the
/// business of `claim`, and of `If-None-Match` and its like.
public actor NameListing {
    /// Names in a folder (empty: the root); nil when the server does not tell, or tells of too many.
    public typealias Load = @Sendable (_ folder: String) async throws(IngestError) -> Set<String>?
    /// Folded names as hashes: a folder to which a run without an end sends holds as many as that has sent, and where
    /// two names have one hash the server is asked for the second.
    private typealias Names = Set<Int>
    private typealias Answer = Result<Names?, IngestError>
    private struct Folder {
        var answer: Task<Answer, Never>, asked: ContinuousClock.Instant
        /// Names that were claimed since it was asked for.
        var claims = 0
        /// A newer answer that is on its way.
        var next: (answer: Task<Answer, Never>, asked: ContinuousClock.Instant)?
    }
    private let load: Load, clock: @Sendable () -> ContinuousClock.Instant
    private var folders: [String: Folder] = [:]
    /// Paths that something was sent to, as hashes in the same way.
    private var sent = PackedTable<Void>()

    /// How long a listing is as good as a question of its own: about as long as an upload takes, in which others may
    /// come in between, too.
    static let moment = Duration.seconds(3)
    /// A listing may cost so many names for each question that it saves.
    static let worth = 8

    public init(_ load: @escaping Load) { self.init(load) { .now } }

    init(_ load: @escaping Load, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
        (self.load, self.clock) = (load, clock)
    }

    /// True: nothing stood at `path` when its folder was listed, and nothing was sent there since.
    ///
    /// False: ask the server. Letters' case is ignored: what differs only in it may be one name there.
    public func isFree(_ path: String) async throws(IngestError) -> Bool {
        let key = Self.key(path)
        if sent[key] != nil { return false }
        let cut = Self.cut(path)
        guard let names = try await names(in: cut.folder) else { return false }
        return !names.contains(Self.key(cut.name)) && sent[key] == nil
    }

    /// True where the server lists the folder of `path`.
    public func isListed(_ path: String) async throws(IngestError) -> Bool {
        try await names(in: Self.cut(path).folder) != nil
    }

    /// From now on only the server knows about `path`.
    public func note(_ path: String) { _ = sent.insert(Self.key(path)) }

    /// Notes `path`; true when nothing stood there a moment ago and it was never noted before, so that it need not be
    /// asked for by itself.
    ///
    /// While much is sent the folder is listed again every few seconds, as long as that is cheaper than a question for
    /// each file. False otherwise, and where the server does not list: ask it.
    public func claim(_ path: String) async throws(IngestError) -> Bool {
        let cut = Self.cut(path)
        guard sent.insert(Self.key(path)) else { return false }
        folders[cut.folder]?.claims += 1
        guard let names = try await freshNames(in: cut.folder) else { return false }
        return !names.contains(Self.key(cut.name))
    }

    private func names(in folder: String) async throws(IngestError) -> Names? {
        let task = folders[folder]?.answer ?? ask(folder)
        if folders[folder] == nil { folders[folder] = Folder(answer: task, asked: clock()) }
        let result = await task.value
        if case .failure = result, folders[folder]?.answer == task { folders[folder] = nil }
        return try result.get()
    }

    /// As they were at most a moment ago; nil when that would cost more than it saves.
    private func freshNames(in folder: String) async throws(IngestError) -> Names? {
        let names = try await names(in: folder)
        guard let known = folders[folder], let names else { return nil }
        let age = clock() - known.asked
        // Asked for again before it is too old, so that nobody has to wait.
        if age > Self.moment / 2, known.next == nil, known.claims * Self.worth >= names.count { renew(folder) }
        if age <= Self.moment { return names }
        guard let next = folders[folder]?.next, let names = try? await next.answer.value.get() else { return nil }
        return clock() - next.asked <= Self.moment ? names : nil
    }

    private func renew(_ folder: String) {
        let task = ask(folder), asked = clock()
        folders[folder]?.next = (task, asked)
        Task {
            guard case .success(.some) = await task.value else {
                folders[folder]?.next = nil
                return
            }
            folders[folder] = Folder(answer: task, asked: asked)
        }
    }

    private func ask(_ folder: String) -> Task<Answer, Never> {
        let load = load
        return Task {
            await Result { () async throws(IngestError) in
                try await load(folder).map { Names($0.map(Self.key)) }
            }
        }
    }

    /// Names that differ in letters' case alone may be one at the server.
    private static func key(_ path: String) -> Int { SafeName.folded(path).hashValue }

    private static func cut(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: 0x2F) else { return ("", path) }
        return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
    }
}
