import CryptographyKit
import FilmgateCore

/// How the lines of a case name things, and how its answers are written.
extension CatalogPlay {
    static let volume = "A1F0-22C4", time: Int64 = 1_700_000_000_000_000_000

    static func digest(_ name: String) -> String {
        switch name {
        case "short": return "abcd"
        case "none": return "x"
        default:
            let digits = Array("0123456789abcdef".utf8), bytes = RunningHash.digest(of: Array(name.utf8), .sha256)
            return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }
    }

    static func origin(_ name: String) -> Origin {
        Origin(source: "card", volume: volume, root: "/media/x", path: "DCIM/\(name).JPG", size: 7, modified: 9)
    }

    /// `#3`: three contents.
    static func expanded(_ word: String) -> [String] {
        guard word.hasPrefix("#") else { return [word] }
        return (0..<(Int(word.dropFirst()) ?? 0)).map { "n\($0)" }
    }

    static func wishes(_ words: [String]) -> [ClaimWish] { words.flatMap(expanded).map(wish) }

    static func name(_ word: String) -> String { String(word.prefix { !"/@+".contains($0) }) }
    static func flags(_ word: String) -> Set<String> { Set(word.split(separator: "+").dropFirst().map(String.init)) }

    private static func part(_ word: String, after mark: Character) -> String? {
        word.firstIndex(of: mark).map { name(String(word[word.index(after: $0)...])) }
    }

    static func wish(_ word: String) -> ClaimWish {
        let flags = flags(word), target = part(word, after: "@") ?? "gallery"
        var wish = ClaimWish(
            content: ContentKey(sha256: digest(name(word)), beside: part(word, after: "/").map(digest)),
            target: "t|\(target)", targetName: target, canBeSettled: !flags.contains("dumb"))
        if flags.contains("idempotent") { wish.canBeAsked = false }
        (wish.again, wish.anyway) = (flags.contains("again"), flags.contains("anyway"))
        (wish.isKnown, wish.insists) = (flags.contains("known"), flags.contains("insists"))
        wish.mayHaveArrived = flags.contains("tried")
        return wish
    }

    /// One that was retired is called by its number in the tables, too, which differs each time.
    private static func shown(_ station: String) -> String {
        station.firstIndex(of: "~").map { String(station[...$0]) } ?? station
    }

    static func shown(_ answer: ClaimAnswer) -> String {
        func own(_ isOwn: Bool) -> String { isOwn ? " itself" : "" }
        return switch answer {
        case .granted: "granted"
        case .takenOver: "taken over"
        case .held(let name, _): "held by \(shown(name))"
        case .done(let name, let receipt, let isOwn): "done by \(shown(name))\(own(isOwn)) at \(receipt ?? "-")"
        case .unsure(let name, let isOwn, _): "unsure by \(shown(name))\(own(isOwn))"
        case .removed(let name, let isOwn): "removed by \(shown(name))\(own(isOwn))"
        case .undecided: "undecided"
        }
    }

    /// The time only where it is that of a station: the server's differs each time.
    static func shown(_ copy: CatalogCopy) -> String {
        let size = copy.size.map { "\($0)" } ?? "-", since = copy.state == .seen ? seconds(copy.at) : ""
        let words = [shown(copy.station), copy.state.rawValue, copy.place, copy.detail ?? "-", copy.proof ?? "-", size]
        let shared = copy.target.map { " of \($0)" } ?? "", beside = copy.beside == nil ? "" : " beside"
        return words.joined(separator: " ") + since + shared + beside
    }

    static func shown(_ card: CardAtStation) -> String {
        let endings = card.endings.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        return "\(shown(card.station)): \(endings.joined(separator: ", "))\(seconds(card.at))"
    }

    private static func seconds(_ at: Int64) -> String { at == time ? "" : " +\((at - time) / 1_000_000_000) s" }

    static func shown(_ station: StationSummary) -> String {
        let state = station.revoked ? "shut out" : station.present ? "present" : "away"
        let more = [station.site, station.status].compactMap { $0 }.map { " \($0)" }.joined()
        return "\(shown(station.name)) \(state) \(station.applied)\(more)"
    }
}
