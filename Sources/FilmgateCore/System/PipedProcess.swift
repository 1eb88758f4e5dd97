import Glibc

/// A program that is spoken to through its three streams.
package final class PipedProcess: Sendable {
    package enum Stream: Sendable { case output, errors }

    package let child: ChildProcess
    /// Our ends; none of them blocks.
    package let input: Descriptor, output: Descriptor, errors: Descriptor

    /// With `isFed` false its input is empty; `ownErrors` is where its errors go instead of to us.
    package init(
        _ command: ChildProcess.Command, isFed: Bool = true, ownErrors: CInt? = nil,
        unless isStopped: () -> Bool = { false }
    ) throws(ChildProcess.StartFailure) {
        guard let input = PipeEnds(), let output = PipeEnds(), let errors = PipeEnds() else {
            throw ChildProcess.StartFailure(code: EMFILE)
        }
        let streams = [isFed ? input.reading.number : nil, output.writing.number, ownErrors ?? errors.writing.number]
        child = try ChildProcess(command, streams, unless: isStopped)
        // Open until here, whatever the optimizer thinks; open any longer, the streams would never end.
        for given in [input.reading, output.writing, errors.writing] { given.close() }
        (self.input, self.output, self.errors) = (input.writing, output.reading, errors.reading)
        for own in [self.input, self.output, self.errors] { own.neverBlock() }
        if !isFed { self.input.close() }
        if ownErrors != nil { self.errors.close() }
    }

    /// Writes of `rest` what the program takes, hands on what it wrote, and waits for at most `milliseconds` for
    /// either.
    ///
    /// A stream that has ended is closed, and its input once nothing is left for it. One thread at a time.
    package func exchange(
        _ rest: inout ArraySlice<UInt8>, within milliseconds: CInt, _ take: (Stream, ArraySlice<UInt8>) -> Void
    ) {
        if rest.isEmpty { input.close() }
        var watched = [output, errors, input].map {
            pollfd(fd: $0.isOpen ? $0.number : -1, events: Int16(POLLIN), revents: 0)
        }
        watched[2].events = Int16(POLLOUT)
        guard poll(&watched, 3, milliseconds) > 0 else { return }
        // Without a reader, nobody wants the rest.
        if watched[2].revents != 0 { rest = input.write(rest).map { rest.dropFirst($0) } ?? [] }
        if watched[0].revents != 0 { Self.drain(output) { take(.output, $0) } }
        if watched[1].revents != 0 { Self.drain(errors) { take(.errors, $0) } }
    }

    /// No more than a few pipes full at a time: a program that never stops writing must not keep its owner from looking
    /// at the clock.
    private static func drain(_ pipe: Descriptor, _ take: (ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        for _ in 0..<16 {
            switch pipe.read(into: &buffer) {
            case .bytes(let count): take(buffer[..<count])
            case .later: return
            case .end: return pipe.close()
            }
        }
    }
}
