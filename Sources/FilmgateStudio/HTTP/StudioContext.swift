import Hummingbird
import NIOCore

/// A request's context that knows who asks.
struct StudioContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end's address; the same for all that come through a socket file.
    let address: String
    let place: ServedPlace

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address = source.channel.remoteAddress?.ipAddress ?? "local"
        place = ServedPlace(
            host: source.channel.localAddress?.ipAddress ?? "", port: source.channel.localAddress?.port ?? 0)
    }
}
