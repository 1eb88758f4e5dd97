import NIOCore
import NIOHTTPTypes

/// Closes connections whose client takes too long to say what it wants, byte by byte, keeps one open for nothing, or
/// takes nothing of what it asked for.
final class HeadDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Until the first request's head; until a request's last byte; between two requests, and until some of an answer
    /// is taken.
    static let first = TimeAmount.seconds(5), whole = TimeAmount.seconds(10), between = TimeAmount.seconds(60)
    private var timer: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) { set(Self.first, context.channel) }
    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }
    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: set(Self.whole, context.channel)
        case .body: break
        case .end: set(Self.between, context.channel)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let taken = promise ?? context.eventLoop.makePromise(of: Void.self), channel = context.channel
        // A stream goes on for as long as its client reads.
        taken.futureResult.assumeIsolated().whenSuccess { if self.timer != nil { self.set(Self.between, channel) } }
        context.write(data, promise: taken)
    }

    private func set(_ time: TimeAmount, _ channel: any Channel) {
        timer?.cancel()
        timer = channel.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
    }
}
