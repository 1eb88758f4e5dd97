import NIOCore

/// Cuts the control connection's bytes into lines and keeps them until they are asked for.
// Touched on its channel's event loop only.
final class CommandReceiver: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    private static let most = 256

    private var cutter = FTPCommandLines(), lines: CircularBuffer<FTPCommand> = [], ended = false
    private var waiting: EventLoopPromise<FTPCommand?>?
    /// Runs only while the client is waited for: its silence counts, the time that a transfer or an answer takes does
    /// not.
    private var alarm: Scheduled<Void>?
    /// Ends the transfer that is going on.
    private var breakOff: (@Sendable () -> Void)?
    /// From AUTH on until TLS stands, plain bytes are an attack: nothing that was sent early may count as protected.
    private var isUpgrading = false
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// The next line; nil at the end, or when none comes within `patience`.
    func next(within patience: TimeAmount) async -> FTPCommand? {
        let future = channel.eventLoop.flatSubmit { () -> EventLoopFuture<FTPCommand?> in
            if let line = self.lines.popFirst() { return self.channel.eventLoop.makeSucceededFuture(line) }
            if self.ended { return self.channel.eventLoop.makeSucceededFuture(nil) }
            let promise = self.channel.eventLoop.makePromise(of: FTPCommand?.self)
            self.waiting = promise
            self.alarm = self.channel.eventLoop.scheduleTask(in: patience) { self.giveUp() }
            return promise.futureResult
        }
        return (try? await future.get()) ?? nil
    }

    /// While a transfer goes on, ABOR calls `breakOff` at once and is answered afterwards; nil = it is over.
    func transfer(_ breakOff: (@Sendable () -> Void)?) async {
        try? await channel.eventLoop.submit {
            self.breakOff = breakOff
            if self.lines.contains(where: { $0.verb == "ABOR" }) { breakOff?() }
        }.get()
    }

    /// TLS stands.
    func upgraded() { isUpgrading = false }

    /// Answers AUTH with a refusal.
    ///
    /// In one turn of the event loop: a client that goes on in the clear as soon as it has read the answer is heard.
    func refuseTLS(_ answer: String) async {
        try? await channel.eventLoop.flatSubmit {
            self.isUpgrading = false
            return self.channel.writeAndFlush(ByteBuffer(string: answer + "\r\n"))
        }.get()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        for byte in buffer.readBytes(length: buffer.readableBytes) ?? [] {
            guard !isUpgrading else { return end(context) }
            switch cutter.take(byte) {
            case .nothing: continue
            case .tooLong: return end(context)
            case .line(let line):
                isUpgrading = line.verb == "AUTH"
                give(line)
            }
            if lines.count > Self.most { return end(context) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(context) }

    private func give(_ line: FTPCommand) {
        if let promise = waiting {
            alarm?.cancel()
            (waiting, alarm) = (nil, nil)
            promise.succeed(line)
        } else if line.verb == "STAT", line.argument.isEmpty, breakOff != nil {
            // The one question that may be asked in between (RFC 959 §4.1.3).
            channel.writeAndFlush(ByteBuffer(string: "211 A transfer is going on.\r\n"), promise: nil)
        } else {
            lines.append(line)
            if line.verb == "ABOR" { breakOff?() }
        }
    }

    private func giveUp() {
        finish()
        channel.writeAndFlush(ByteBuffer(string: "421 Idle for too long.\r\n")).whenComplete { [channel] _ in
            channel.close(promise: nil)
        }
    }

    private func end(_ context: ChannelHandlerContext) {
        finish()
        context.close(promise: nil)
    }

    private func finish() {
        ended = true
        alarm?.cancel()
        waiting?.succeed(nil)
        (waiting, alarm, breakOff) = (nil, nil, nil)
    }
}
