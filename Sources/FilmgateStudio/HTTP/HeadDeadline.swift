import NIOCore
import NIOHTTPTypes

/// Closes connections whose client takes too long to say what it wants, byte by byte, or keeps one open for nothing.
final class HeadDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// Until the first request's head; until a request's last byte; between two requests.
    static let first = TimeAmount.seconds(5), whole = TimeAmount.seconds(10), between = TimeAmount.seconds(60)
    private var timer: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) { set(Self.first, context) }
    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }
    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: set(Self.whole, context)
        case .body: break
        case .end: set(Self.between, context)
        }
        context.fireChannelRead(data)
    }

    private func set(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
    }
}
