import Glibc
import Hummingbird
import NIOCore

/// A request's context that knows its connection, so that a fault can break it.
struct GalleryContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// What is to go wrong with this request.
    var fault: GalleryFault.Kind?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Ends the connection with a reset instead of an orderly end.
    func reset() async {
        if let options = channel as? any SocketOptionProvider {
            try? await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try? await channel.close()
    }
}
