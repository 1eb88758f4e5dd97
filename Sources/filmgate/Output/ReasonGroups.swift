import FilmgateCore
import Synchronization

/// Names the first few files that share a reason and counts the rest, so that one cause is not told a thousand times.
final class ReasonGroups: Sendable {
    /// Files that are named.
    static let named = 3
    private struct Group { var word: String, reason: String, count = 0 }
    private struct State {
        var groups: [Group] = [], places: [String: Int] = [:]
        var unknown: [String] = [], unknownCount = 0
    }
    /// Reasons that are counted; a hostile card may have one for every file.
    private static let limit = 1000
    private let state = Mutex(State())

    /// True when the file is still to be named; it is counted either way.
    func names(_ word: String, _ reason: String?) -> Bool {
        guard let reason else { return true }
        return state.withLock { state in
            let key = word + "\u{1F}" + Self.cause(reason)
            guard let place = state.places[key] else {
                if state.groups.count >= Self.limit { return true }
                state.places[key] = state.groups.count
                state.groups.append(Group(word: word, reason: reason, count: 1))
                return true
            }
            state.groups[place].count += 1
            return state.groups[place].count <= Self.named
        }
    }

    /// The reason without how long a try took, which differs from file to file (`after 3 ms`).
    static func cause(_ reason: String) -> String {
        let words = reason.split(separator: " ", omittingEmptySubsequences: false)
        return words.enumerated().map { index, word in
            index + 1 < words.count && ["ms", "ms:", "ms,", "ms."].contains(words[index + 1])
                && word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? "#" : word
        }.joined(separator: " ")
    }

    /// A file of a kind that nobody knows: named at the end, all in one line.
    func unknown(_ path: String) {
        state.withLock { state in
            state.unknownCount += 1
            if state.unknown.count < 5 { state.unknown.append(path) }
        }
    }

    /// What is left to be said; forgets it.
    func rest() -> [String] {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        var lines = state.groups.filter { $0.count > Self.named }.map { group in
            "\(group.word): \(Describe.count(group.count - Self.named, "more file")) for the same reason: \(Describe.name(group.reason))"
        }
        if state.unknownCount > 0 {
            let names = state.unknown.map(Describe.name).joined(separator: ", ")
            let more =
                state.unknownCount > state.unknown.count
                ? " and \(state.unknownCount - state.unknown.count) more (-v names all)" : ""
            let count = Describe.count(state.unknownCount, "file")
            lines.append("not taken: \(count) of unknown kind: \(names)\(more). \(UnknownKinds.advice)")
        }
        return lines
    }
}
