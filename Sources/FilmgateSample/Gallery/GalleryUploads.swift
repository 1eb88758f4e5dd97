import FilmgateCore
import HTTPKit
import HTTPTypes
import Hummingbird
import NIOCore

/// Takes files in: bare, or as the first file of a form.
///
/// Constant memory whatever their size.
struct GalleryUploads: Sendable {
    let store: GalleryStore

    /// PUT: the body is the file.
    func receive(_ request: Request, named name: String, _ context: GalleryContext) async throws -> Response {
        let intake = GalleryUploadWriter(store)
        try await eachBlock(of: request, context) { block in try await intake.write(block) }
        return try await conclude(intake, name, request, context)
    }

    /// POST: a form, or the bare file with its name in `?name=`.
    func receiveForm(_ request: Request, _ context: GalleryContext) async throws -> Response {
        guard var reader = MultipartReader(contentType: request.headers[.contentType]) else {
            guard let name = request.uri.queryParameters.get("name") else {
                return .notice(.unsupportedMediaType, "Send a form with the file, or its bytes to ?name=.")
            }
            return try await receive(request, named: name, context)
        }
        let intake = GalleryUploadWriter(store)
        var name: String?, files = 0
        try await eachBlock(of: request, context) { block in
            var parts: [[UInt8]] = []
            try reader.take(block) { event in
                switch event {
                case .file(let given): (name, files) = (name ?? given, files + 1)
                case .bytes(let bytes) where files == 1: parts.append(Array(bytes))
                case .bytes, .field, .end: break
                }
            }
            for part in parts { try await intake.write(part) }
        }
        guard reader.isComplete, let name, files == 1 else {
            return .notice(.badRequest, "The form must hold one file and be complete.")
        }
        return try await conclude(intake, name, request, context)
    }

    /// Hands the body on in blocks, gathered so that each costs one visit to the disk.
    private func eachBlock(
        of request: Request, _ context: GalleryContext, _ use: ([UInt8]) async throws -> Void
    ) async throws {
        // Blocks of 256 KiB would each be fetched from the system and given back to it.
        let enough = 96 << 10
        var block: [UInt8] = [], count = 0
        let middle = (request.headers[.contentLength].flatMap { Int($0) } ?? 0) / 2
        for try await buffer in request.body {
            block += buffer.readableBytesView
            count += buffer.readableBytes
            if context.fault == .resetMiddle, count > middle {
                await context.reset()
                throw HTTPError(.internalServerError)
            }
            guard block.count >= enough else { continue }
            try await use(block)
            if context.fault == .slow { try await Task.sleep(for: .milliseconds(block.count / 1000)) }
            block = []
        }
        try await use(block)
    }

    private func conclude(_ intake: GalleryUploadWriter, _ name: String, _ request: Request, _ context: GalleryContext)
        async throws
        -> Response
    {
        if context.fault == .stall {
            // Nobody reads this connection meanwhile, so its end would not be noticed: a limit, and the gallery's own
            // end, must do.
            try await Task.sleep(for: .seconds(600))
            throw HTTPError(.internalServerError)
        }
        let wanted = request.headers[.contentDigest].flatMap(Self.digest)
        var asset: GalleryAsset
        do throws(IngestError) { asset = try await intake.finish(name: name, wanted: wanted) } catch {
            return .notice(Self.status(of: error), error.message)
        }
        switch context.fault {
        case .resetAfter: await context.reset()
        case .wrongDigest: asset.sha256 = String(asset.sha256.reversed())
        case .cut: return .cut()
        default: break
        }
        var response = try Response.json(asset.duplicate ? .ok : .created, asset, request, context)
        response.headers[.location] = asset.url
        return response
    }

    private static func status(of error: IngestError) -> HTTPTypes.HTTPResponse.Status {
        switch error.code {
        case .storageFull: HTTPTypes.HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        case .corruptData: .badRequest
        default: .internalServerError
        }
    }

    /// The SHA-256 of a `Content-Digest` header (RFC 9530), in hexadecimal.
    private static func digest(_ header: String) -> String? {
        for item in header.split(separator: ",") {
            let pair = item.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].filter({ $0 != " " }).lowercased() == "sha-256" else { continue }
            return Base64.bytes(pair[1].filter { $0 != ":" && $0 != " " }).map { Hex.text(of: $0) }
        }
        return nil
    }
}

extension HTTPField.Name {
    static let contentDigest = HTTPField.Name("Content-Digest") ?? .eTag
}
