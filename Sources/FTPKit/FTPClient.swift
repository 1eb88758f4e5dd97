import FileKit
import FilmgateCore
import Glibc

/// Who pushes: a login, from one machine.
package struct FTPClient: Sendable, Hashable {
    package var login: String
    /// Its IP address; empty where nobody knows it any more.
    package var peer: String

    package init(login: String, peer: String) { (self.login, self.peer) = (login, peer) }
}

extension FTPClient {
    /// The folder of its login that this client's files come into.
    ///
    /// It says also after a restart whose they are. `number` tells tries of one name apart.
    func part(_ number: Int) -> String {
        (number == 1 ? "part" : "part-\(number)")
            + (peer.isEmpty ? "" : "@" + String(peer.map { $0 == ":" ? "_" : $0 }))
    }

    /// Whose files lie in the folder `part…` of a login; nobody's where it does not say.
    init(login: String, part: String) {
        let peer = part.utf8.firstIndex(of: 0x40).map { part[part.utf8.index(after: $0)...] } ?? ""
        self.init(login: login, peer: String(peer.map { $0 == "_" ? ":" : $0 }))
    }
}

/// A name that a client pushes under.
struct FTPRecent: Sendable, Hashable {
    var client: FTPClient, path: FTPPath
    /// The same name, where its client turned out to have another file: nobody goes on with what is there.
    var disowned: Self { Self(client: FTPClient(login: client.login, peer: ""), path: path) }
}

/// What a client that asks is told of its file.
package struct FTPKnown: Sendable, Hashable {
    package var size: UInt64
    /// Nanoseconds since 1970: when its last byte came.
    package var modified: Int64
}

/// A try that is still being written, of which all that had come was a beginning of the whole file.
///
/// The whole file stays open: by the time the try ends it may have been delivered, and be gone from the inbox.
final class GivenUp: Sendable {
    /// What had come, and how much the whole file is.
    let size: UInt64, wholeSize: UInt64
    private let whole: Int32

    init(size: UInt64, whole path: String) {
        self.size = size
        whole = withCPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        wholeSize = whole < 0 ? 0 : ((try? FileFacts.of(path)) ?? nil)?.size ?? 0
    }
    deinit { if whole >= 0 { close(whole) } }

    /// Whether the try is no more than a beginning now; all of the file is none.
    func isBeginning(_ path: String, size now: UInt64) -> Bool {
        now < wholeSize && (now == size || InboxPermissions.isBeginning(path, of: whole))
    }
}

/// What an inbox remembers of its files and their clients.
struct FTPInboxState: Sendable {
    /// Places that a client is writing to.
    var writing: Set<String> = []
    /// Acknowledged to their clients, not accepted yet: nothing is written over them.
    var finished: Set<String> = []
    /// Their bytes may not be on the disk, though they can be read: a flush failed, and the system tells that once.
    var unsure: Set<String> = []
    /// Where a client's tries of one name lie that are not accepted yet, the latest last.
    var tries: [FTPRecent: [String]] = [:]
    /// Still being written, though their client has sent the whole file anew meanwhile.
    var givenUp: [String: GivenUp] = [:]
    var number: UInt64 = 0
    /// What was pushed lately, and when among all others, also when it is gone from here: clients ask afterwards.
    private var lately: [FTPRecent: (known: FTPKnown, number: UInt64)] = [:]
    private var pushes: UInt64 = 0
    /// So many are remembered for sure, and some more: what is too old goes many at once.
    static let remembered = 2048, spare = 512

    /// The client's latest try.
    func last(_ recent: FTPRecent) -> String? { tries[recent]?.last }

    /// A place for a new file of this name: what its client broke off is given up for it, nothing else is.
    func free(_ recent: FTPRecent) -> String {
        if let own = last(recent), !finished.contains(own), !writing.contains(own) { return own }
        let taken = tries.values.reduce(into: writing.union(finished)) { $0.formUnion($1) }
        var number = 1
        func place() -> String { "\(recent.client.login)/\(recent.client.part(number))/\(recent.path.text)" }
        while taken.contains(place()) { number += 1 }
        return place()
    }

    /// Where the client's latest try lies; nil when there is none, when it is being written, or when all of it has to
    /// be sent anew.
    func goingOn(_ recent: FTPRecent) -> String? {
        last(recent).flatMap { writing.contains($0) || unsure.contains($0) ? nil : $0 }
    }

    mutating func tried(_ recent: FTPRecent, _ place: String) {
        leave(place)
        tries[recent, default: []].append(place)
    }

    /// Nothing lies there any more.
    mutating func leave(_ place: String) {
        for (recent, places) in tries where places.contains(place) {
            let left = places.filter { $0 != place }
            tries[recent] = left.isEmpty ? nil : left
        }
    }

    mutating func note(_ recent: FTPRecent, _ known: FTPKnown) {
        pushes += 1
        lately[recent] = (known, lately[recent]?.number ?? pushes)
        guard lately.count > Self.remembered + Self.spare else { return }
        let oldest = lately.values.map(\.number).sorted()[Self.spare]
        lately = lately.filter { $0.value.number >= oldest }
    }

    /// Nil where it was not pushed lately.
    func known(_ recent: FTPRecent) -> FTPKnown? { lately[recent]?.known }

    /// What `client` pushed lately into `folder`, the first first.
    func recent(_ client: FTPClient, in folder: FTPPath) -> [(name: String, known: FTPKnown)] {
        let own = lately.filter { $0.key.client == client && Paths.folder("/" + $0.key.path.text) == folder.shown }
        return own.sorted { $0.value.number < $1.value.number }.map { ($0.key.path.name, $0.value.known) }
    }

    mutating func forget(_ recent: FTPRecent) { lately[recent] = nil }
}
