import NIOCore

/// Cuts the control connection's bytes into lines and keeps them until they are asked for.
// Touched on its channel's event loop only.
final class LineInbox: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    private static let longest = 4096, most = 256

    private var bytes: [UInt8] = [], lines: CircularBuffer<FTPCommand> = [], ended = false
    private var waiting: EventLoopPromise<FTPCommand?>?
    /// From AUTH on until TLS stands, plain bytes are an attack: nothing that was sent early may count as protected.
    private var isUpgrading = false
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// The next line; nil at the end.
    func next() async -> FTPCommand? {
        let future = channel.eventLoop.flatSubmit { () -> EventLoopFuture<FTPCommand?> in
            if let line = self.lines.popFirst() { return self.channel.eventLoop.makeSucceededFuture(line) }
            if self.ended { return self.channel.eventLoop.makeSucceededFuture(nil) }
            let promise = self.channel.eventLoop.makePromise(of: FTPCommand?.self)
            self.waiting = promise
            return promise.futureResult
        }
        return (try? await future.get()) ?? nil
    }

    /// TLS stands, or was refused.
    func upgraded() { isUpgrading = false }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        for byte in buffer.readBytes(length: buffer.readableBytes) ?? [] {
            guard !isUpgrading else { return end(context) }
            guard byte == 0x0A else {
                bytes.append(byte)
                if bytes.count > Self.longest { return end(context) }
                continue
            }
            if bytes.last == 0x0D { bytes.removeLast() }
            let line = FTPCommand(bytes)
            bytes = []
            isUpgrading = line.verb == "AUTH"
            give(line)
            if lines.count > Self.most { return end(context) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(context) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { end(context) } else { context.fireUserInboundEventTriggered(event) }
    }

    private func give(_ line: FTPCommand) {
        if let promise = waiting {
            waiting = nil
            promise.succeed(line)
        } else {
            lines.append(line)
        }
    }

    private func end(_ context: ChannelHandlerContext) {
        finish()
        context.close(promise: nil)
    }

    private func finish() {
        ended = true
        waiting?.succeed(nil)
        waiting = nil
    }
}
