import FilmgateCore

/// What a person is told of another station that had a file of this one's, for a target that both deliver to.
public struct ClaimNotice: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// It sends the file, and is waited for.
        case waiting
        /// It was waited for, and was lost or gave up; the target was asked, and has the file.
        case found
        /// The same; the target does not have the file, or takes it twice: it was sent from here.
        case sent
        /// It may have sent the file before it was lost, and nobody here can ask: the file is held.
        case unsure
    }
    public var kind: Kind, station: String, target: String, file: String
    /// When it was claimed, by the server's clock, in nanoseconds since 1970; nil where nobody says.
    public var claimed: Int64?

    public init(_ kind: Kind, station: String, target: String, file: String, claimed: Int64? = nil) {
        (self.kind, self.station, self.target, self.file, self.claimed) = (kind, station, target, file, claimed)
    }

    /// In a sentence.
    public var text: String { text(now: WallClock.nanoseconds) }

    func text(now: Int64) -> String {
        let time = ClaimTime(claimed)?.text(now: now)
        return switch kind {
        case .waiting: "\(target): \(station) is sending \(file)\(time.map { " since \($0)" } ?? ""); waiting."
        case .found: "\(target): \(station) was lost, or gave up \(file); asked \(target): it has it."
        case .sent: "\(target): \(station) was lost, or gave up \(file); sent from here."
        case .unsure:
            "\(target): \(station) may or may not have sent \(file)\(time.map { " at \($0)" } ?? "") before it was lost, "
                + "and \(target) cannot be asked: held (unsure)."
        }
    }
}

/// Which of them are told: one of each kind for a station and a target, until that was over for a minute.
///
/// A card that two stations take has hundreds of files, of which one says it all.
struct ClaimNotices: Sendable {
    private struct Key: Hashable { var kind: ClaimNotice.Kind, station: String, target: String }
    private var last: [Key: ContinuousClock.Instant] = [:]
    /// Whoever waits asks again every 15 seconds.
    private static let over = Duration.seconds(60)
    /// Whatever a catalogue calls its stations, no more than these are told of in a minute.
    private static let most = 64

    mutating func tells(_ notice: ClaimNotice, at now: ContinuousClock.Instant) -> Bool {
        let key = Key(kind: notice.kind, station: notice.station, target: notice.target)
        if last[key] == nil, last.count >= Self.most { last = last.filter { now - $0.value <= Self.over } }
        if last[key] == nil, last.count >= Self.most { return false }
        let before = last.updateValue(now, forKey: key)
        return before.map { now - $0 > Self.over } ?? true
    }
}
