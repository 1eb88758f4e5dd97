import FilmgateCore
import NIOCore
import NIOSSL
import NIOTLS

/// The bytes of one transfer, read from the network only as fast as they are asked for.
// Touched on its channel's event loop only.
final class DataReceiver: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    private var chunks: CircularBuffer<ByteBuffer> = [], end: Result<Void, any Error>?
    private var waiting: EventLoopPromise<ByteBuffer?>?
    /// TLS is still being agreed on: its messages are read although nobody asks for bytes, or a listing could never be
    /// sent.
    private var isShaking: Bool
    private let channel: any Channel
    /// Only until it is called: the promise that it fulfils holds the line, and the line holds this inbox.
    private var isUp: (@Sendable (DataConnection) -> Void)?

    init(_ channel: any Channel, isProtected: Bool, isUp: @escaping @Sendable (DataConnection) -> Void) {
        (self.channel, self.isUp, isShaking) = (channel, isUp, isProtected)
    }

    /// Where a balancer's header came first, the connection stands already.
    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { begin(context) } }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        let isUp = isUp
        self.isUp = nil
        isUp?(DataConnection(channel: channel, inbox: self))
        if isShaking { context.read() }
    }

    /// The next bytes; nil once the client has closed.
    ///
    /// Throws when the connection broke.
    func next() async throws -> ByteBuffer? {
        try await channel.eventLoop.flatSubmit { () -> EventLoopFuture<ByteBuffer?> in
            let promise = self.channel.eventLoop.makePromise(of: ByteBuffer?.self)
            self.waiting = promise
            self.serve()
            if self.waiting != nil { self.channel.read() }
            return promise.futureResult
        }.get()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        chunks.append(unwrapInboundIn(data))
        serve()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if waiting != nil || isShaking { context.read() }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isUp = nil
        end = end ?? .success(())
        serve()
        context.fireChannelInactive()
    }

    /// Many bodies close without TLS's goodbye; whether the file is whole is for its structure to say.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case NIOSSLError.uncleanShutdown = error { end = end ?? .success(()) } else { end = end ?? .failure(error) }
        serve()
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
            isShaking = false
        } else if event is IdleStateHandler.IdleStateEvent {
            // While nobody asks for bytes it is the disk that takes its time.
            guard waiting != nil || isShaking else { return }
            end = end ?? .failure(ChannelError.connectTimeout(.seconds(60)))
            serve()
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Ends what is being received as broken; on the channel's event loop.
    func cut() {
        end = end ?? .failure(ChannelError.ioOnClosedChannel)
        serve()
        channel.close(promise: nil)
    }

    private func serve() {
        guard let promise = waiting else { return }
        if let chunk = chunks.popFirst() {
            waiting = nil
            promise.succeed(chunk)
        } else if let end {
            waiting = nil
            promise.completeWith(end.map { _ in nil })
        }
    }
}

extension DataReceiver {
    /// Writes all that comes until the client ends it, and finishes the upload.
    func write(into upload: FTPUpload, on pool: BlockingPool) async throws(IngestError) -> FTPFile {
        while true {
            let chunk: ByteBuffer?
            do { chunk = try await next() } catch {
                throw IngestError(.network, "The data connection broke.", cause: error)
            }
            guard let chunk else { break }
            try await pool.run { () throws(IngestError) in
                let result = chunk.withUnsafeReadableBytes { bytes -> Result<Void, IngestError> in
                    Result { () throws(IngestError) in try upload.write(bytes) }
                }
                try result.get()
            }
        }
        return try await pool.run { () throws(IngestError) in try upload.finish() }
    }
}
