import FilmgateCore

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

/// What an inbox remembers of its files and their clients.
struct FTPInboxState: Sendable {
    /// Places that a client is writing to.
    var writing: Set<String> = []
    /// Acknowledged to their clients, not accepted yet: nothing is written over them.
    var finished: Set<String> = []
    /// Where a client's tries of one name lie that are not accepted yet, the latest last.
    var tries: [FTPRecent: [String]] = [:]
    /// Still being written, though their client has sent the whole file anew meanwhile.
    var givenUp: Set<String> = []
    var used: UInt64 = 0, number: UInt64 = 0
    /// What was pushed lately, also when it is gone from here: clients ask afterwards.
    var lately: [FTPRecent: FTPKnown] = [:], order: [FTPRecent] = []
    private static let remembered = 4096

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

    /// Where the client's latest try lies; nil when there is none, or when it is being written.
    func goingOn(_ recent: FTPRecent) -> String? { last(recent).flatMap { writing.contains($0) ? nil : $0 } }

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
        if lately.updateValue(known, forKey: recent) == nil { order.append(recent) }
        if order.count > Self.remembered { lately[order.removeFirst()] = nil }
    }

    mutating func forget(_ recent: FTPRecent) {
        if lately.removeValue(forKey: recent) != nil { order.removeAll { $0 == recent } }
    }
}
