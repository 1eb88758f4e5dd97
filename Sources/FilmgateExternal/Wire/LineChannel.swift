import FilmgateCore
import Glibc
import HTTPKit

/// The two sides' lines: what we send goes out while what comes is taken in, so that neither side ever waits for the
/// other's pipe.
///
/// All members block and are for one caller at a time; what the child may do wrong ends it: then it `isOver`.
// One worker owns it and is lent to one caller at a time.
final class LineChannel: @unchecked Sendable {
    /// Longest line that a child may send.
    static let lineLimit = 1 << 20

    let name: String
    private let process: PipedProcess
    private var lines = LineBuffer(limit: lineLimit), remarks = LineBuffer(limit: 8192)
    private var outgoing: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var isBroken = false, hasEnded = false, isMute = false
    /// Gets each line that the child writes to its stderr, bounded.
    var remark: (@Sendable (String) -> Void)?

    /// Starts the program.
    init(_ program: String, name: String) throws(IngestError) {
        self.name = name
        process = try PipedProcess([program])
    }

    deinit { process.end(patience: 50) }

    var isOver: Bool { isBroken || process.child.isOver }

    func send(_ message: JSONValue) { outgoing += Array((WireText.of(message) + "\n").utf8) }

    /// A pipe that the child fills, beside its lines.
    struct Side {
        let descriptor: Descriptor
        let take: (ArraySlice<UInt8>) throws(IngestError) -> Void
    }

    /// The next line as an object.
    ///
    /// `unavailable` when the child ended, said nothing for `silence` or no JSON; `cancelled` when `stop` was raised.
    /// The child is over then.
    func receive(within silence: Duration, _ stop: StopFlag, beside side: Side? = nil) throws(IngestError) -> JSONValue
    {
        var quiet = ContinuousClock.now + silence
        while true {
            if let value = try nextLine() { return value }
            if hasEnded { throw over("ended in the middle of its work", patience: 100) }
            if stop.isRaised {
                throw over(IngestError(.cancelled, "Stopped while `\(name)` was at work."), patience: 0)
            }
            if ContinuousClock.now > quiet {
                throw over("said nothing for \(silence.shown ?? "too long")", patience: 0)
            }
            if try move(side) { quiet = .now + silence }
        }
    }

    /// Takes what is left in a side pipe once its child said that it is done.
    func drain(_ side: Side) throws(IngestError) {
        while case .bytes(let count) = side.descriptor.read(into: &buffer) { try side.take(buffer[..<count]) }
    }

    private func nextLine() throws(IngestError) -> JSONValue? {
        while true {
            switch lines.next() {
            case .none: return nil
            case .tooLong: throw over("sent a line of more than \(Self.lineLimit >> 20) MiB", patience: 0)
            case .line(let line):
                if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                guard String(validating: line, as: UTF8.self) != nil, let value = JSONValue(WireText.incoming(line)),
                    case .object = value
                else {
                    throw over("sent a line that is no JSON object", patience: 0)
                }
                return value
            }
        }
    }

    /// Waits for at most a tenth of a second; true when something moved.
    private func move(_ side: Side?) throws(IngestError) -> Bool {
        var watched = [pollfd(fd: process.output.number, events: Int16(POLLIN), revents: 0)]
        watched.append(pollfd(fd: isMute ? -1 : process.errors.number, events: Int16(POLLIN), revents: 0))
        watched.append(pollfd(fd: outgoing.isEmpty ? -1 : process.input.number, events: Int16(POLLOUT), revents: 0))
        watched.append(pollfd(fd: side?.descriptor.number ?? -1, events: Int16(POLLIN), revents: 0))
        guard poll(&watched, nfds_t(watched.count), 100) > 0 else { return false }
        var moved = false
        if watched[3].revents != 0, let side {
            if case .bytes(let count) = side.descriptor.read(into: &buffer) {
                try side.take(buffer[..<count])
                moved = true
            } else if watched[0].revents == 0 {
                // All writers have closed it: only the child's word is awaited.
                usleep(2000)
            }
        }
        if watched[2].revents != 0 { moved = feed() || moved }
        if watched[1].revents != 0 { listen() }
        if watched[0].revents != 0 { moved = hear() || moved }
        return moved
    }

    private func feed() -> Bool {
        guard let count = process.input.write(outgoing[...]) else {
            // It closed its input: what it has to say about that comes on its output, or it ends.
            outgoing = []
            return false
        }
        outgoing.removeFirst(count)
        return count > 0
    }

    private func hear() -> Bool {
        switch process.output.read(into: &buffer) {
        case .bytes(let count):
            lines.append(buffer[..<count])
            return true
        case .end: hasEnded = true
        case .later: break
        }
        return false
    }

    /// Takes what the child wrote to stderr; false when there was nothing.
    @discardableResult
    private func listen() -> Bool {
        switch process.errors.read(into: &buffer) {
        case .later: return false
        case .bytes(let count): remarks.append(buffer[..<count])
        case .end:
            isMute = true
            tell(remarks.rest())
            return false
        }
        while true {
            switch remarks.next() {
            case .line(let line): tell(line)
            case .tooLong: tell(remarks.rest())
            case .none: return true
            }
        }
    }

    private func tell(_ line: [UInt8]) { if !line.isEmpty { remark?(String(decoding: line, as: UTF8.self)) } }

    /// Ends the child and says why; how it ended by itself is told where it was given the time to.
    func over(_ what: String, patience: Int) -> IngestError {
        let how = end(patience: patience)
        let words = patience > 0 ? "\(what)\(how)" : "\(what) and was ended"
        return IngestError(.unavailable, "The module `\(name)` \(words).", advice: "It is started again.")
    }

    private func over(_ error: IngestError, patience: Int) -> IngestError {
        _ = end(patience: patience)
        return error
    }

    /// Lets it end by itself for `patience` hundredths of a second.
    @discardableResult
    func end(patience: Int) -> String {
        isBroken = true
        let how = process.end(patience: patience)
        // Its last words, as far as they fit into the pipe.
        var left = 64
        while !isMute, left > 0, listen() { left -= 1 }
        return how
    }
}
