import FileKit
public import FilmgateCore
import Glibc
import Synchronization

/// Keeps grants in a folder of the state directory, a file each: the page's process and the command that makes codes
/// share it.
///
/// Secrets are never in it. Whoever removes a file first has it alone, so a code is used once, also by two at the same
/// moment.
public final class GrantStore: Sendable {
    private struct State {
        var grants: [String: Grant] = [:]
        /// When the folder had last changed as it was read; 0 = never read.
        var seen: Int64 = 0
    }
    let folder: String
    private let state = Mutex(State())
    /// Where this process serves the page; nil for one that does not.
    private let own = Mutex<String?>(nil)
    /// More sessions than this are nobody's.
    static let mostSessions = 50
    /// And of one client's link: who passes it on keeps others of his out, and nobody else.
    static let mostOfLink = 20
    private static let largest = 4096
    private static let mostServed = 8

    /// `state`: the state directory.
    public init(state directory: String) { folder = directory + "/studio" }

    public func add(_ grant: Grant) throws(IngestError) {
        try DurableFile.makeDirectories(folder, mode: 0o700)
        let bytes = Array(grant.line.utf8)
        try DurableFile.atomicWrite(bytes.span.bytes, to: path(grant.id), mode: 0o600)
        state.withLock { $0.grants[grant.id] = grant }
        guard grant.kind == .session else { return }
        let mine = all(.session, now: grant.since).filter { $0.link == grant.link }.sorted {
            ($0.since, $0.id) < ($1.since, $1.id)
        }
        for old in mine.dropLast(grant.link == nil ? Self.mostSessions : Self.mostOfLink) { remove(old.id) }
    }

    /// False where it was gone already.
    @discardableResult public func remove(_ id: String) -> Bool {
        state.withLock { _ = $0.grants.removeValue(forKey: id) }
        return unlink(path(id)) == 0
    }

    /// Those that still count; the files of others go.
    public func all(_ kind: Grant.Kind, now: Int64) -> [Grant] {
        refresh()
        let grants = state.withLock { state in state.grants.values.filter { $0.kind == kind } }
        for old in grants where !old.isValid(at: now) { remove(old.id) }
        return grants.filter { $0.isValid(at: now) }
    }

    func grant(_ id: String) -> Grant? {
        refresh()
        return state.withLock { $0.grants[id] }
    }

    /// Moves the end of a grant, unless somebody took it away meanwhile.
    func prolong(_ grant: Grant) throws(IngestError) {
        guard self.grant(grant.id) != nil else { return }
        try add(grant)
    }

    /// Random bytes that stay the same for this state directory; made at the first call.
    public func instance() throws(IngestError) -> [UInt8] {
        try DurableFile.makeDirectories(folder, mode: 0o700)
        let path = folder + "/instance"
        let known = Self.read(path).flatMap { AccessSecret.bytes(String(decoding: $0, as: UTF8.self)) }
        if let known, known.count == 32 { return known }
        let fresh = AccessSecret.random(), text = Array(fresh.utf8)
        try DurableFile.atomicWrite(text.span.bytes, to: path, mode: 0o600)
        return AccessSecret.bytes(fresh) ?? []
    }

    /// Where the page was served last, as `http://127.0.0.1:8484`; nil before that.
    ///
    /// A page that another one came after still makes links to itself.
    public var address: String? {
        if let own = own.withLock(\.self) { return own }
        // Earlier versions wrote it without a scheme.
        return Self.read(folder + "/address").map { String(decoding: $0, as: UTF8.self) }.map {
            $0.contains("://") ? $0 : "http://" + $0
        }
    }

    /// Where pages began that did not end in order, the latest first: they are served, or were killed.
    public var served: [String] {
        let text = Self.read(folder + "/served").map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Links lead to `address` from now on.
    func note(address: String) throws(IngestError) {
        own.withLock { $0 = address }
        try DurableFile.makeDirectories(folder, mode: 0o700)
        try DurableFile.atomicWrite(Array(address.utf8).span.bytes, to: folder + "/address", mode: 0o600)
        try write(served: [address] + served.filter { $0 != address })
    }

    /// The page that was noted is not served any more.
    func forgetAddress() throws(IngestError) {
        let address: String? = own.withLock { own in
            defer { own = nil }
            return own
        }
        let known = served, left = known.filter { $0 != address }
        // Where the state is gone by now, nothing is made anew.
        if left.count < known.count { try write(served: left) }
    }

    private func write(served: [String]) throws(IngestError) {
        let text = served.prefix(Self.mostServed).joined(separator: "\n")
        try DurableFile.atomicWrite(Array(text.utf8).span.bytes, to: folder + "/served", mode: 0o600)
    }

    private func path(_ id: String) -> String { "\(folder)/\(id).json" }

    /// Reads the folder anew when somebody else changed it.
    private func refresh() {
        let changed = (try? FileFacts.of(folder))??.modified ?? 0
        let isNew = state.withLock { state in state.seen != changed }
        guard isNew else { return }
        var grants: [String: Grant] = [:]
        for name in Self.names(in: folder) where name.hasSuffix(".json") {
            if let grant = Self.read(folder + "/" + name).flatMap({ Grant(line: $0) }), grant.id + ".json" == name {
                grants[grant.id] = grant
            }
        }
        // The clock of a file system ticks slowly: what changes right after that within one tick would look the same.
        let isSettled = WallClock.nanoseconds - changed > 100_000_000
        state.withLock { $0 = State(grants: grants, seen: isSettled ? changed : 0) }
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream), names.count < 10_000 {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }

    /// Nil for what is no small file of ours.
    private static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: largest + 1)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count > 0 && count <= largest ? Array(bytes[..<count]) : nil
    }
}
