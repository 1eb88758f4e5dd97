import NIOCore

/// Tells once that a client has sent something, be it only the beginning of TLS.
// Touched on its channel's event loop only.
final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    private let heard: @Sendable () -> Void

    init(_ heard: @escaping @Sendable () -> Void) { self.heard = heard }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heard()
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
