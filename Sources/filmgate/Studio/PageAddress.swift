import FilmgateStudio
import Glibc
import ServerKit

/// Where a link into the page leads.
enum PageAddress {
    /// Where the page of that state is served, as `http://127.0.0.1:8484`; where none is, the place where one was last.
    static func known(_ grants: GrantStore) -> String {
        let last = grants.address ?? "http://127.0.0.1:8484"
        if isServed(last) == true { return last }
        return grants.served.first { isServed($0) == true } ?? last
    }

    /// Whether somebody listens at `start`, such as `http://127.0.0.1:8484`.
    ///
    /// Nil where that is no address of this machine: nobody else is asked.
    static func isServed(_ start: String) -> Bool? {
        guard let scheme = start.firstRange(of: "://") else { return nil }
        let place = start[scheme.upperBound...].prefix { $0 != "/" }
        guard let colon = place.lastIndex(of: ":") else { return nil }
        var host = String(place[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" { host = "127.0.0.1" }
        guard LocalAddress.isLoopback(host) || LocalAddress.outer.contains(host) else { return nil }
        return listens(host, String(place[place.index(after: colon)...]))
    }

    private static func listens(_ host: String, _ port: String) -> Bool? {
        var hints = addrinfo(), list: UnsafeMutablePointer<addrinfo>?
        (hints.ai_flags, hints.ai_socktype) = (AI_NUMERICHOST | AI_NUMERICSERV, CInt(SOCK_STREAM.rawValue))
        guard getaddrinfo(host, port, &hints, &list) == 0, let first = list else { return nil }
        defer { freeaddrinfo(first) }
        let descriptor = socket(first.pointee.ai_family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return connect(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0
    }
}
