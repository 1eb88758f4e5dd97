/// Who is connected, and who gives way where there is no place left.
///
/// Somebody who only holds the line must not keep cameras out: who has not logged in gives way first where most of such
/// come from, and there the one that has come least far. Who has logged in keeps the place, whoever else comes.
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
    private struct Connection: Sendable { var network: String, number: Int, standing: Standing }

    /// The most that may be connected, and the most of one address that have not logged in.
    let most: Int, mostUnknown: Int
    private var connections: [Key: Connection] = [:], number = 0

    init(most: Int, mostUnknown: Int) { (self.most, self.mostUnknown) = (most, mostUnknown) }

    var count: Int { connections.count }

    /// A newcomer from `network`, unless it is refused.
    mutating func admit(_ key: Key, from network: String) -> Verdict {
        let unknown = connections.filter { $0.value.standing < .known }
        let near = unknown.filter { $0.value.network == network }
        var victim: Key?
        if near.count >= mostUnknown {
            // Who waits for the answer to a password has a turn coming: it would never come if newcomers took the
            // place.
            guard let weakest = Self.weakest(near.filter { $0.value.standing < .waiting }) else { return .refused }
            victim = weakest
        } else if connections.count >= most {
            let crowds = Dictionary(grouping: unknown) { $0.value.network }.values
            guard let crowd = crowds.max(by: { $0.count < $1.count }), let weakest = Self.weakest(crowd) else {
                return .refused
            }
            victim = weakest
        }
        if let victim { connections[victim] = nil }
        number += 1
        connections[key] = Connection(network: network, number: number, standing: .silent)
        return victim.map { .welcomeInsteadOf($0) } ?? .welcome
    }

    private static func weakest(_ connections: some Sequence<(key: Key, value: Connection)>) -> Key? {
        connections.min { ($0.value.standing, $0.value.number) < ($1.value.standing, $1.value.number) }?.key
    }

    mutating func note(_ key: Key, _ standing: Standing) { connections[key]?.standing = standing }
    mutating func leave(_ key: Key) { connections[key] = nil }
}
