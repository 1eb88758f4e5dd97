import NIOCore

/// Takes a balancer's header off a connection, before anything else of it is looked at.
///
/// What is no such header closes the connection, and so does one that does not come.
// Touched on its channel's event loop only.
final class ProxyReceiver: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    private static let patience = TimeAmount.seconds(5)

    private var bytes: [UInt8] = [], isDone = false, alarm: Scheduled<Void>?
    /// Adds what reads the rest; throws where the connection is not to go on.
    private let accept: @Sendable (_ client: String?) throws -> Void
    private let refuse: @Sendable () -> Void

    init(refuse: @escaping @Sendable () -> Void, accept: @escaping @Sendable (_ client: String?) throws -> Void) {
        (self.refuse, self.accept) = (refuse, accept)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        alarm = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { alarm?.cancel() }

    func channelActive(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        var buffer = unwrapInboundIn(data)
        bytes += buffer.readBytes(length: buffer.readableBytes) ?? []
        switch ProxyHeader(bytes) {
        case .incomplete: break
        case .invalid:
            isDone = true
            refuse()
            context.close(promise: nil)
        case .whole(let client, let length):
            isDone = true
            do { try accept(client) } catch { return context.close(promise: nil) }
            if bytes.count > length {
                context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: bytes[length...])))
            }
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isDone { context.read() }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
