import FilmgateCore
import Glibc
import HTTPKit
import HTTPTypes
import Hummingbird
import NIOCore

/// The gallery's addresses.
struct GalleryRoutes: Sendable {
    let store: GalleryStore, uploads: GalleryUploads, token: String, faults: FaultPlan

    init(_ store: GalleryStore, token: String, faults: FaultPlan) {
        (self.store, self.token, self.faults) = (store, token, faults)
        uploads = GalleryUploads(store: store)
    }

    func router() -> Router<GalleryContext> {
        let router = Router(context: GalleryContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: GalleryAccess(token: token, faults: faults))
        router.get("/") { _, _ in GalleryPageText.response(store.page(from: max(0, store.count - 200), limit: 200)) }
        router.get("/api/health") { _, _ in Response.notice(.ok, "\(store.count) assets") }
        router.get("/api/assets") { request, context in
            let start = request.uri.queryParameters.get("offset", as: Int.self) ?? 0
            let limit = request.uri.queryParameters.get("limit", as: Int.self) ?? 100
            return try Response.json(.ok, store.page(from: start, limit: limit), request, context)
        }
        router.get("/api/assets/**") { request, context in
            let parts = context.parameters.getCatchAll().map(String.init)
            guard let key = parts.last, let asset = store.asset(key) else {
                return Response.notice(.notFound, "The gallery has no such file.")
            }
            if parts == ["by-digest", asset.sha256] { return try Response.json(.ok, asset, request, context) }
            return parts == [key] ? try await bytes(of: asset, context) : Response.notice(.notFound, "No such address.")
        }
        router.put("/api/assets/**") { request, context in
            let name = context.parameters.getCatchAll().last.flatMap { Percent.decode($0) } ?? "unnamed"
            return try await guarded(request, context) { try await uploads.receive(request, named: name, context) }
        }
        router.post("/api/assets") { request, context in
            try await guarded(request, context) { try await uploads.receiveForm(request, context) }
        }
        return router
    }

    /// Lets the faults strike that need nothing of the body, and turns a broken form into an answer.
    private func guarded(
        _ request: Request, _ context: GalleryContext, _ receive: () async throws -> Response
    ) async throws -> Response {
        switch context.fault {
        case .forbidden: return .notice(.forbidden, "This account may not upload.")
        case .tooLarge: return .notice(.contentTooLarge, "The file is too large.")
        case .error: return .notice(.internalServerError, "The gallery has a bad day.")
        case .busy, .busyDate: return Self.busy(asDate: context.fault == .busyDate)
        case .redirect:
            var response = Response.notice(.temporaryRedirect, "Elsewhere.")
            response.headers[.location] = "http://elsewhere.invalid/api/assets"
            return response
        case .resetBefore:
            await context.reset()
            throw HTTPError(.internalServerError)
        default: break
        }
        do { return try await receive() } catch is MultipartReader.Malformed {
            return .notice(.badRequest, "This is no form.")
        }
    }

    private static func busy(asDate: Bool) -> Response {
        var response = Response.notice(.tooManyRequests, "One after the other, please.")
        response.headers[.retryAfter] = asDate ? HTTPDate.text(unixSeconds: time(nil) + 2) : "1"
        return response
    }

    /// A file as it was sent.
    ///
    /// Only pictures and films keep their type: anything else could be a page with a script in it.
    private func bytes(of asset: GalleryAsset, _ context: GalleryContext) async throws -> Response {
        let type = MediaType.of(fileName: asset.name)
        let isShown = type.hasPrefix("image/") || type.hasPrefix("video/") || type.hasPrefix("audio/")
        let headers: HTTPFields = [
            .contentType: isShown ? type : "application/octet-stream", .xContentTypeOptions: "nosniff",
            .eTag: "\"\(asset.sha256)\"",
        ]
        return Response(
            status: .ok, headers: headers,
            body: try await FileIO().loadFile(path: store.path(of: asset), context: context))
    }
}
