import FilmgateCore
import Synchronization

/// Writes down what is said with one camera while it is said, for people: time, address, direction, kind, name,
/// transaction, and the first bytes of what is sent along.
///
/// Our GUID, by which bodies pair, is masked wherever it stands, and the data of operations that carry a key is left
/// out.
public final class LinkTrace: LinkObserver {
    /// Bytes of each data phase that are shown.
    public static let limit = 256

    /// What a trace must not show.
    public struct Secrets: Sendable {
        /// Masked wherever they stand.
        public var words: [[UInt8]]
        /// Operations whose data is not shown at all.
        public var operations: Set<OperationCode>
        public init(words: [[UInt8]] = [], operations: Set<OperationCode> = []) {
            (self.words, self.operations) = (words, operations)
        }
    }
    private struct Phase { var head: [UInt8] = [], total: UInt64 = 0, isShown = false }
    private struct State { var operation: Operation?, transaction: UInt32 = 0, phase: Phase? }
    private let address: String, secrets: Secrets
    private let write: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// What is looked through beyond what is shown, so that no secret is shown in part.
    private let margin: Int

    /// `write` is given one or several whole lines, without the last one's end, on whichever thread speaks with the
    /// camera.
    public init(_ address: String, secrets: Secrets = Secrets(), to write: @escaping @Sendable (String) -> Void) {
        (self.address, self.secrets, self.write) = (address, secrets, write)
        margin = secrets.words.map { 2 * $0.count }.max() ?? 0
    }

    public func opened() { say("-", "connected") }

    public func sent(_ operation: Operation, transaction: UInt32, data: [UInt8]?) {
        flush()
        state.withLock { ($0.operation, $0.transaction) = (operation, transaction) }
        say(">", "operation \(operation.code) #\(transaction)" + Self.text(operation.parameters))
        guard let data else { return }
        say(
            ">",
            ["data \(operation.code) #\(transaction), \(Self.bytes(UInt64(data.count)))"] + shown(data, of: operation))
    }

    public func dataBegins(transaction: UInt32, total: UInt64?) {
        let operation = state.withLock { state in
            state.phase = Phase()
            return state.operation
        }
        let name = operation.map { "\($0.code) " } ?? ""
        say("<", "data \(name)#\(transaction), " + (total.map(Self.bytes) ?? "of unknown length"))
    }

    public func data(_ bytes: RawSpan) {
        let isFull = state.withLock { state in
            guard var phase = state.phase else { return false }
            state.phase = nil
            let wanted = Self.limit + margin - phase.head.count
            if wanted > 0 { phase.head += bytes.extracting(first: wanted).copied }
            phase.total += UInt64(bytes.byteCount)
            state.phase = phase
            return !phase.isShown && phase.head.count >= Self.limit + margin
        }
        if isFull { show() }
    }

    public func dataEnds() { flush() }

    public func received(_ response: Response) {
        flush()
        say("<", "response \(response.code) #\(response.transaction)" + Self.text(response.parameters))
    }

    public func received(_ arrival: EventQueue.Arrival) {
        switch arrival {
        case .event(let event): say("<", "event \(event.code) #\(event.transaction)" + Self.text(event.parameters))
        case .ping:
            say("<", "ping")
            say(">", "pong")
        }
    }

    public func cancelled(transaction: UInt32, byCamera: Bool) {
        flush()
        say(byCamera ? "<" : ">", "cancel #\(transaction)")
    }

    public func failed(_ error: PTPError) {
        flush()
        say("!", "\(error)")
    }

    public func closed() {
        flush()
        say("-", "closed")
    }

    /// Shows the beginning of the data that is coming in, once.
    private func show() {
        let phase = state.withLock { state -> (Phase, Operation?)? in
            guard let phase = state.phase, !phase.isShown else { return nil }
            state.phase?.isShown = true
            return (phase, state.operation)
        }
        guard let (phase, operation) = phase, phase.total > 0 else { return }
        let lines = isConfidential(operation) ? [Self.withheld] : hexLines(phase.head)
        write(lines.joined(separator: "\n"))
    }

    /// Ends the data phase, where there is one.
    private func flush() {
        show()
        let (phase, operation) = state.withLock { state in
            defer { state.phase = nil }
            return (state.phase, state.operation)
        }
        guard let phase, phase.total > UInt64(Self.limit), !isConfidential(operation) else { return }
        write(Self.more(phase.total - UInt64(Self.limit)))
    }

    private func isConfidential(_ operation: Operation?) -> Bool {
        operation.map { secrets.operations.contains($0.code) } ?? false
    }

    private func shown(_ data: [UInt8], of operation: Operation) -> [String] {
        if isConfidential(operation) { return data.isEmpty ? [] : [Self.withheld] }
        return hexLines(data) + (data.count > Self.limit ? [Self.more(UInt64(data.count - Self.limit))] : [])
    }
}

/// The lines.
extension LinkTrace {
    private static let withheld = "    (not shown: a key)"
    private static func more(_ count: UInt64) -> String { "    … \(count) more \(count == 1 ? "byte" : "bytes")" }
    private static func bytes(_ count: UInt64) -> String { "\(count) \(count == 1 ? "byte" : "bytes")" }
    private static func text(_ parameters: [UInt32]) -> String {
        parameters.isEmpty ? "" : " " + parameters.map { hex(UInt64($0), 8) }.joined(separator: " ")
    }

    private func say(_ sign: String, _ line: String) { say(sign, [line]) }

    private func say(_ sign: String, _ lines: [String]) {
        write("\(Self.time(WallClock.nanoseconds)) \(address) \(sign) \(lines.joined(separator: "\n"))")
    }

    /// `14:03:07.123456`, UTC.
    static func time(_ nanoseconds: Int64) -> String {
        let micros = nanoseconds / 1000 % 86_400_000_000
        func digits(_ value: Int64, _ width: Int) -> String { String(String(1_000_000 + value).suffix(width)) }
        let seconds = micros / 1_000_000
        return
            "\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2)).\(digits(micros % 1_000_000, 6))"
    }

    /// Sixteen bytes a line: offset, digits, text; `**` where a secret stands.
    private func hexLines(_ bytes: [UInt8]) -> [String] {
        let masked = masked(bytes), count = min(bytes.count, Self.limit)
        return stride(from: 0, to: count, by: 16).map { start in
            let row = start..<min(start + 16, count)
            let digits = row.map { masked[$0] ? "**" : hex(UInt64(bytes[$0]), 2) }.joined(separator: " ")
            let text = row.map { index in
                let isPlain = !masked[index] && (0x20..<0x7F).contains(bytes[index])
                return isPlain ? Character(Unicode.Scalar(bytes[index])) : masked[index] ? "*" : "."
            }
            let space = String(repeating: " ", count: 47 - digits.utf8.count)
            return "    \(hex(UInt64(start), 4))  \(digits)\(space)  |\(String(text))|"
        }
    }

    /// Which bytes belong to a secret, as it is or as hexadecimal text.
    private func masked(_ bytes: [UInt8]) -> [Bool] {
        var masked = [Bool](repeating: false, count: bytes.count)
        let forms = secrets.words.filter { $0.count >= 4 }.flatMap { word in
            let text = word.map { hex(UInt64($0), 2) }.joined()
            return [word, Array(text.utf8), Array(text.lowercased().utf8)]
        }
        for form in forms where bytes.count >= form.count {
            for start in 0...(bytes.count - form.count) where bytes[start..<start + form.count].elementsEqual(form) {
                for index in start..<start + form.count { masked[index] = true }
            }
        }
        return masked
    }
}
