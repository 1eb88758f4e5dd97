import Hummingbird
import NIOCore

/// A request's context that knows who asks.
struct StudioContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end's address; the same for all that come through a socket file.
    let address: String
    /// Where the page listens.
    let port: Int

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address = source.channel.remoteAddress?.ipAddress ?? "local"
        port = source.channel.localAddress?.port ?? 0
    }
}
