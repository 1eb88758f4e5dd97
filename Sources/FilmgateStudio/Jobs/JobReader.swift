import FilmgateCore
import Glibc

/// Reads both streams of a process, line by line, until both have ended; owns them, and blocks.
final class JobReader {
    /// What came within a fraction of a second.
    struct Said {
        var objects: [[UInt8]] = [], words: [String] = []
        var isEmpty: Bool { objects.isEmpty && words.isEmpty }
    }
    /// A longer line is none of ours; its rest is left out.
    private static let longest = 1 << 20
    /// Milliseconds in which lines are gathered, and how many of them at most.
    private static let gathering: Int32 = 200, most = 1000
    private let streams: [Descriptor]
    private var pending: [[UInt8]] = [[], []], isOver = [false, false]

    private init(_ output: Descriptor, _ errors: Descriptor) { streams = [output, errors] }

    /// Why a command was not started.
    struct StartFailure: Error { var reason: String }

    /// Starts a command; what reads its streams ends when they do.
    ///
    /// `input`: what it finds in its standard input; nil = nothing.
    static func start(
        _ words: [String], _ input: [UInt8]? = nil
    ) throws(StartFailure) -> (child: ChildProcess, reader: JobReader) {
        let given = input == nil ? nil : InputEnds()
        guard let output = PipeEnds(), let errors = PipeEnds(), input == nil || given != nil else {
            throw StartFailure(reason: String(cString: strerror(errno)))
        }
        let command = ChildProcess.Command(words, environment: ChildProcess.Command.inherited())
        let result = Result { () throws(ChildProcess.StartFailure) in
            try ChildProcess(command, [given?.reading.number, output.writing.number, errors.writing.number])
        }
        // Open until here, and no longer: else its streams would never end.
        for end in [output, errors] { end.writing.close() }
        given?.reading.close()
        switch result {
        case .success(let child):
            if let input { given?.write(input) }
            return (child, JobReader(output.reading, errors.reading))
        case .failure(let failure): throw StartFailure(reason: failure.reason)
        }
    }

    func read(_ hear: (Said) -> Void) {
        var said = Said(), since = ContinuousClock.now
        while isOver.contains(false) {
            var waits = zip(streams, isOver).map { pollfd(fd: $1 ? -1 : $0.number, events: Int16(POLLIN), revents: 0) }
            let count = poll(&waits, 2, said.isEmpty ? -1 : Self.gathering)
            if count < 0, errno != EINTR { break }
            if said.isEmpty { since = .now }
            for index in 0..<2 where waits[index].revents != 0 { take(index, &said) }
            let isDue = count == 0 || ContinuousClock.now - since >= .milliseconds(Int(Self.gathering))
            if !said.isEmpty, isDue || said.objects.count + said.words.count >= Self.most {
                hear(said)
                said = Said()
            }
        }
        // A last line may have no end.
        for index in 0..<2 where !pending[index].isEmpty { add(pending[index], index, &said) }
        if !said.isEmpty { hear(said) }
    }

    private func take(_ index: Int, _ said: inout Said) {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = Glibc.read(streams[index].number, &chunk, chunk.count)
        if count < 0, errno == EINTR { return }
        guard count > 0 else { return isOver[index] = true }
        var rest = chunk[..<count]
        while let end = rest.firstIndex(of: 0x0A) {
            append(rest[..<end], index)
            add(pending[index], index, &said)
            pending[index] = []
            rest = rest[(end + 1)...]
        }
        append(rest, index)
    }

    private func append(_ bytes: ArraySlice<UInt8>, _ index: Int) {
        pending[index] += bytes.prefix(max(0, Self.longest - pending[index].count))
    }

    private func add(_ line: [UInt8], _ index: Int, _ said: inout Said) {
        if index == 0 { said.objects.append(line) } else { said.words.append(String(decoding: line, as: UTF8.self)) }
    }
}
