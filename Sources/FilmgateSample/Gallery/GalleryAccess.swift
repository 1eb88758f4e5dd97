import CryptographyKit
import HTTPKit
import HTTPTypes
import Hummingbird

/// Lets in who shows the token: as a bearer, or as the password of basic sign-in, which browsers can do.
struct GalleryAccess: RouterMiddleware {
    typealias Context = GalleryContext
    let token: String, faults: FaultPlan

    func handle(
        _ request: Request, context: GalleryContext,
        next: @concurrent (Request, GalleryContext) async throws -> Response
    ) async throws -> Response {
        if request.uri.path == "/api/health" { return try await next(request, context) }
        var context = context
        context.fault = faults.next(upload: request.method == .put || request.method == .post)
        let isRefused = context.fault == .unauthorized || context.fault == .expire
        guard !isRefused, isAdmitted(request.headers[.authorization]) else {
            var response = Response.notice(.unauthorized, "The token is missing, wrong or expired.")
            response.headers[.wwwAuthenticate] =
                request.uri.path.hasPrefix("/api/") ? "Bearer" : "Basic realm=\"gallery\""
            return response
        }
        return try await next(request, context)
    }

    private func isAdmitted(_ header: String?) -> Bool {
        guard let header, let space = header.firstIndex(of: " ") else { return false }
        let value = header[header.index(after: space)...]
        switch header[..<space].lowercased() {
        case "bearer": return isToken(value.utf8)
        case "basic":
            return Base64.bytes(value).map { isToken($0.drop { $0 != UInt8(ascii: ":") }.dropFirst()) } ?? false
        default: return false
        }
    }

    /// Digests are compared, so that the time taken says nothing about the token.
    private func isToken(_ bytes: some Sequence<UInt8>) -> Bool {
        MessageCode.equal(ByteDigest.sha256(Array(bytes)), ByteDigest.sha256(Array(token.utf8)))
    }
}
