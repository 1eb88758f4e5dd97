/// Who is connected, and who gives way where there is no place left.
///
/// Somebody who only holds the line must not keep cameras out: who has not logged in gives way first where most of such
/// come from, and there the one that has come least far. Who has logged in keeps the place, whoever else comes. Those
/// of one address that wait for the answer to a password share its places by login: whoever tries one login many times
/// gives way to a camera that tries another.
struct FTPConnections<Key: Hashable & Sendable>: Sendable {
    /// How far a connection has come.
    enum Standing: Int, Comparable, Sendable {
        case silent, speaking
        /// Its password is about to be looked at.
        case waiting
        case known
        static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }
    enum Verdict: Equatable { case welcome, welcomeInsteadOf(Key), refused }
    private struct Connection: Sendable {
        var network: String, number: Int, standing = Standing.silent
        /// Whose password is looked at; nil where no login has that name.
        var login: String?
    }

    /// The most that may be connected, and the most of one address that wait for the answer to a password.
    ///
    /// Twice as many of an address may be on their way there: who has just come needs time for TLS and its words.
    let most: Int, mostUnknown: Int
    private var connections: [Key: Connection] = [:], number = 0

    init(most: Int, mostUnknown: Int) { (self.most, self.mostUnknown) = (most, mostUnknown) }

    var count: Int { connections.count }

    /// A newcomer from `network`, unless it is refused.
    mutating func admit(_ key: Key, from network: String) -> Verdict {
        let unknown = connections.filter { $0.value.standing < .known }
        let near = unknown.filter { $0.value.network == network }
        var victim: Key?
        let early = near.filter { $0.value.standing < .waiting }
        if early.count >= 2 * mostUnknown {
            victim = Self.weakest(early)
        } else if connections.count >= most {
            let crowds = Dictionary(grouping: unknown) { $0.value.network }.values
            guard let crowd = crowds.max(by: { $0.count < $1.count }), let weakest = Self.weakest(crowd) else {
                return .refused
            }
            victim = weakest
        }
        if let victim { connections[victim] = nil }
        number += 1
        connections[key] = Connection(network: network, number: number)
        return victim.map { .welcomeInsteadOf($0) } ?? .welcome
    }

    /// Its password is about to be looked at; the one that gives way, which may be itself.
    ///
    /// That is the latest of those that wait for the answer about one login, of which there are most. The first of each
    /// login keeps its place: it has a turn coming, which would never come if newcomers took it.
    mutating func wait(_ key: Key, login: String?) -> Key? {
        guard let network = connections[key]?.network else { return nil }
        connections[key]?.standing = .waiting
        connections[key]?.login = login
        let waiting = connections.filter { $0.value.network == network && $0.value.standing == .waiting }
        guard waiting.count > mostUnknown else { return nil }
        let crowds = Dictionary(grouping: waiting) { $0.value.login }.filter { $0.value.count > 1 }
        func rank(_ crowd: (key: String?, value: [(key: Key, value: Connection)])) -> (Int, Int) {
            (crowd.value.count, crowd.key == nil ? 1 : 0)
        }
        let latest = crowds.max { rank($0) < rank($1) }?.value.max { $0.value.number < $1.value.number }?.key
        connections[latest ?? key] = nil
        return latest ?? key
    }

    private static func weakest(_ connections: some Sequence<(key: Key, value: Connection)>) -> Key? {
        connections.min { ($0.value.standing, $0.value.number) < ($1.value.standing, $1.value.number) }?.key
    }

    mutating func note(_ key: Key, _ standing: Standing) { connections[key]?.standing = standing }
    mutating func leave(_ key: Key) { connections[key] = nil }
}
