import FilmgateCore
import HTTPKit
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers every request: first whether it may be asked at all, then what it asks for.
struct StudioResponder: HTTPResponder {
    typealias Context = StudioContext
    let check: RequestCheck, api: StudioAPI, routes: [Route], page: PageFiles, plain: PlainPage

    static let mostBody = 64 << 10

    init(check: RequestCheck, api: StudioAPI, page: PageFiles) {
        (self.check, self.api, self.page) = (check, api, page)
        routes = api.routes
        plain = PlainPage(api: api, folder: page.folder)
    }

    func respond(to request: Request, context: StudioContext) async throws -> Response {
        let response = try await whole(request, context)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func whole(_ request: Request, _ context: StudioContext) async throws -> Response {
        do {
            try check.checkHost(request, context.place)
        } catch RequestCheck.Failure.otherHost(let host) {
            return Answer.html(
                RefusalPage.otherHost(host, context.place, isEncrypted: check.names.isEncrypted), .misdirectedRequest
            )
            .response(to: request)
        } catch RequestCheck.Failure.malformed(let words) {
            return Answer.json(StudioError.usage(words).json, .badRequest).response(to: request)
        }
        do {
            return try await answer(request, context).response(to: request)
        } catch let error as StudioError {
            return refusal(error, request)
        } catch let error as IngestError {
            return refusal(StudioError(error), request)
        } catch is NIOTooManyBytesError {
            return refusal(StudioError(.contentTooLarge, "tooLarge", "The body is longer than 64 KiB."), request)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            api.access.report("studio: \(request.method) \(request.uri.path): \(error)")
            return refusal(StudioError(.internalServerError, "unexpected", "This could not be answered."), request)
        }
    }

    private func refusal(_ error: StudioError, _ request: Request) -> Response {
        guard request.uri.path == PlainPage.path else {
            return Answer.refusal(error).response(to: request)
        }
        var answer = Answer.html(RefusalPage.error(error), error.status)
        if error.status == .unauthorized { answer.headers[.wwwAuthenticate] = PlainPage.challenge }
        return answer.response(to: request)
    }

    private func answer(_ request: Request, _ context: StudioContext) async throws -> Answer {
        let path = request.uri.path
        if path.hasPrefix(StudioAPI.prefix + "/") || path == StudioAPI.prefix {
            return try await call(request, context)
        }
        guard request.method == .get || request.method == .head else {
            throw StudioError(.methodNotAllowed, "wrongMethod", "Only GET is understood here.")
        }
        if path == PlainPage.path {
            try check.checkSite(request, context.place, isProgram: false)
            return try await plain.answer(request)
        }
        let known = request.headers.single(.ifNoneMatch), accepted = request.headers[values: .acceptEncoding]
        guard let file = page.answer(path, known: known, accepted: accepted) else { throw StudioError.unknown(path) }
        return file
    }

    /// A request of the API, in the order in which it is let in: address, method, origin, session, role, words.
    private func call(_ request: Request, _ context: StudioContext) async throws -> Answer {
        let parts = request.uri.path.split(separator: "/").map { part in
            Substring(Percent.decode(part) ?? String(part))
        }
        let fitting: [(route: Route, values: [String: String])] = routes.compactMap { route in
            route.match(parts).map { (route, $0) }
        }
        guard !fitting.isEmpty else { throw StudioError.unknown(request.uri.path) }
        let method = request.method == .head ? .get : request.method
        // A whole name before one in braces.
        let taking = fitting.filter { $0.route.method == method }
        guard let (route, values) = taking.min(by: { $0.values.count < $1.values.count }) else {
            let others = Set(fitting.map { $0.route.method.rawValue }).sorted().joined(separator: ", ")
            throw StudioError(.methodNotAllowed, "wrongMethod", "This address takes \(others).")
        }
        let bearer = Self.bearer(request)
        try check.checkSite(request, context.place, isProgram: bearer != nil)
        var call = Call(grant: try admit(request, bearer, route))
        let query = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
        call.values = try route.values(path: values, query: query)
        (call.address, call.agent) = (context.address, request.headers.single(.userAgent) ?? "")
        (call.lastEvent, call.idempotencyKey) = (
            request.headers.single(.lastEvent), request.headers.single(.idempotencyKey)
        )
        call.knownTag = request.headers.single(.ifNoneMatch)
        if let bytes = try await body(of: request, route) {
            let object = try Route.object(bytes)
            call.object = object
            if route.bodyShape == nil { call.body = try route.body(object) }
        }
        return try await route.run(call)
    }

    /// Nil for a route that takes none.
    private func body(of request: Request, _ route: Route) async throws -> [UInt8]? {
        guard route.takesBody || !route.fields.isEmpty else { return nil }
        let type = (request.headers.single(.contentType) ?? "").split(separator: ";").first?.lowercased()
        guard type == "application/json" else {
            throw StudioError(.unsupportedMediaType, "wrongType", "The body must be application/json.")
        }
        return Array(try await request.body.collect(upTo: Self.mostBody).readableBytesView)
    }

    /// Who asks; nil where nobody needs to.
    private func admit(_ request: Request, _ bearer: String?, _ route: Route) throws(StudioError) -> Grant? {
        guard route.need != .nothing else { return nil }
        guard let grant = bearer.map({ api.access.token($0) }) ?? session(request, route) else { throw .noSession }
        if case .role(let role) = route.need, grant.role < role { throw .role(role, has: grant.role) }
        return grant
    }

    /// Both halves are needed: cookies go to every port of this machine, and what a page keeps can be read by its
    /// scripts.
    private func session(_ request: Request, _ route: Route) -> Grant? {
        let cookies = request.headers[values: .cookie].joined(separator: ";").split(separator: ";")
        let start = api.cookie.name + "="
        let own = cookies.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(start) }.map {
            String($0.dropFirst(start.count))
        }
        guard own.count == 1 else { return nil }
        if let key = request.headers.single(.studioKey) { return api.access.session(cookie: own[0], key: key) }
        // The browser itself must say that the page asks: one at another port has the cookie, but not that word.
        let site = request.headers.single(.fetchSite)
        return route.answer.isPicture && (site == "same-origin" || site == "none")
            ? api.access.session(cookieForPictures: own[0]) : nil
    }

    private static func bearer(_ request: Request) -> String? {
        guard let header = request.headers.single(.authorization), header.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return String(header.dropFirst(7))
    }
}
