import FilmgateCore

/// Who pushes: a login, from one machine.
package struct FTPClient: Sendable, Hashable {
    package var login: String
    /// Its IP address; empty for what an earlier run left.
    package var peer: String

    package init(login: String, peer: String) { (self.login, self.peer) = (login, peer) }
}

/// A name that a client pushes under.
struct FTPRecent: Sendable, Hashable {
    var client: FTPClient, path: FTPPath
    /// The same name, left by an earlier run.
    var left: Self { Self(client: FTPClient(login: client.login, peer: ""), path: path) }
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
    /// Sizes of what was pushed lately, also when it is gone from here: clients ask afterwards.
    var lately: [FTPRecent: UInt64] = [:], order: [FTPRecent] = []
    private static let remembered = 4096

    /// The client's latest try.
    func last(_ recent: FTPRecent) -> String? { tries[recent]?.last ?? tries[recent.left]?.last }

    /// A place for a new file of this name: what its client broke off is given up for it, nothing else is.
    func free(_ recent: FTPRecent) -> String {
        if let own = last(recent), !finished.contains(own), !writing.contains(own) { return own }
        let taken = tries.values.reduce(into: writing.union(finished)) { $0.formUnion($1) }
        let login = recent.client.login, path = recent.path.text
        var place = "\(login)/part/\(path)", number = 1
        while taken.contains(place) {
            number += 1
            place = "\(login)/part-\(number)/\(path)"
        }
        return place
    }

    /// Where the client's latest try lies, unless it is being written; else a new place.
    func goingOn(_ recent: FTPRecent) -> String {
        if let own = last(recent), !writing.contains(own) { return own }
        return free(recent)
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

    mutating func note(_ recent: FTPRecent, _ size: UInt64) {
        if lately.updateValue(size, forKey: recent) == nil { order.append(recent) }
        if order.count > Self.remembered { lately[order.removeFirst()] = nil }
    }

    mutating func forget(_ recent: FTPRecent) {
        if lately.removeValue(forKey: recent) != nil { order.removeAll { $0 == recent } }
    }
}
