import HTTPTypes
import Hummingbird

extension HTTPField.Name {
    static var host: HTTPField.Name? { HTTPField.Name("Host") }
    static var fetchSite: HTTPField.Name? { HTTPField.Name("Sec-Fetch-Site") }
    static var lastEvent: HTTPField.Name? { HTTPField.Name("Last-Event-ID") }
    static var idempotencyKey: HTTPField.Name? { HTTPField.Name("Idempotency-Key") }
    static var studioKey: HTTPField.Name? { HTTPField.Name("X-Filmgate-Key") }
}

extension HTTPFields {
    /// The value of a header that comes at most once; nil when it is missing or comes twice.
    func single(_ name: HTTPField.Name?) -> String? {
        guard let name else { return nil }
        let values = self[values: name]
        return values.count == 1 ? values[0] : nil
    }
}

/// What is looked at in every request, before anybody asks what it wants.
struct RequestCheck: Sendable {
    let names: HostNames

    enum Failure: Error {
        /// 400: no browser asks so.
        case malformed(String)
        /// 421: another name than those of this page.
        case otherHost(String)
    }

    /// The request is meant for this server.
    func checkHost(_ request: Request, _ place: ServedPlace) throws(Failure) {
        guard let path = request.head.path, path.utf8.first == UInt8(ascii: "/"), !path.hasPrefix("//") else {
            throw .malformed("The address in the first line must begin with one slash.")
        }
        guard path.utf8.count <= 2048 else { throw .malformed("The address is longer than 2048 bytes.") }
        let others = HTTPField.Name.host.map { request.headers[values: $0] } ?? []
        guard let host = request.head.authority, !host.isEmpty, others.isEmpty else {
            throw .malformed("There must be one Host header.")
        }
        guard !host.contains("@"), host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .malformed("The Host header is no host and port.")
        }
        guard names.holds(host, place) else { throw .otherHost(host) }
    }

    /// What another page may not make the browser ask.
    ///
    /// `isProgram`: it shows a token in a header, which no page elsewhere can add.
    func checkSite(_ request: Request, _ place: ServedPlace, isProgram: Bool) throws(StudioError) {
        let site = request.headers.single(.fetchSite), isThere = !request.headers[values: .fetchSite].isEmpty
        guard !isThere || ["same-origin", "none"].contains(site) else { throw Self.otherSite }
        guard ![.get, .head].contains(request.method), !isProgram else { return }
        if site == "same-origin" { return }
        guard !isThere, let origin = request.headers.single(.origin), names.holdsOrigin(origin, place) else {
            throw Self.otherSite
        }
    }

    private static let otherSite = StudioError(
        .forbidden, "crossSite", "Another page asked for this.",
        advice: "Only the page itself may ask, or a program with a token.")
}

extension HTTPFields {
    fileprivate subscript(values name: HTTPField.Name?) -> [String] { name.map { self[values: $0] } ?? [] }
}
