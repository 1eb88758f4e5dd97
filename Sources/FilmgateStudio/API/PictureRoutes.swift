import FilmgateCore
import FilmgateLedger
import HTTPTypes
import NIOCore
import PreviewKit

/// Pictures of files, for looking only.
struct PictureRoutes: Sendable {
    let api: StudioAPI

    var all: [Route] { PreviewSize.allCases.map(route) }

    private func route(_ size: PreviewSize) -> Route {
        Route(
            method: .get, path: "/api/v1/frames/{id}/\(size.rawValue)",
            need: .role(size == .full ? .pick : .view), id: size.rawValue, summary: Self.summary(size),
            parameters: [.init(name: "id", kind: .text(longest: 16), help: "As the list names it.", isInPath: true)],
            answer: .init(
                status: 200, help: Self.answers, shape: "Picture", isPicture: true)
        ) { call in try await picture(call, size) }
    }

    private static let answers =
        "The picture; 304 where If-None-Match has its ETag, 404 where there is none, and 503, or 429 for a full one, "
        + "with Retry-After where it comes once others have come."

    private static func summary(_ size: PreviewSize) -> String {
        size == .full
            ? "The largest picture in a file, with all its pixels; its Exif says how it is turned. "
                + "Whoever asks gets two at a time."
            : "A picture of a file, upright, with at most \(size.longEdge) pixels on its long edge."
    }

    private func picture(_ call: Call, _ size: PreviewSize) async throws -> Answer {
        let (row, _, reader) = try await api.frames.file(call.values["id"] ?? "", call)
        guard let maker = api.pictures.maker else {
            throw Self.none("This page shows no pictures.", "Start it without --no-previews.")
        }
        guard let content = row.content, let key = PreviewKey(sha256: content.sha256, size) else {
            throw Self.none("This file was not read yet.", "Ask again once it was taken.")
        }
        var answer = Answer(type: "image/jpeg", ByteBuffer())
        answer.headers[.eTag] = "\"\(key.tag)\""
        answer.headers[.cacheControl] = "private, max-age=31536000, immutable"
        answer.headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        if call.knownTag == "\"\(key.tag)\"" {
            answer.status = .notModified
            return answer
        }
        guard size == .full else {
            answer.body = ByteBuffer(bytes: try await made(key, by: maker, of: row, content, reader))
            return answer
        }
        guard let place = api.pictures.places.take(call.grant?.owner ?? "") else {
            throw StudioError(
                .tooManyRequests, "rateLimited", "Large pictures are on their way already.",
                advice: "Ask again in a moment.", retryAfter: .seconds(1))
        }
        let jpeg = try await made(key, by: maker, of: row, content, reader)
        answer.send { write in try await place.send(jpeg, write) }
        return answer
    }

    private func made(
        _ key: PreviewKey, by maker: PreviewMaker, of row: AssetRow, _ content: ContentKey, _ reader: SQLiteReader
    ) async throws -> [UInt8] {
        do throws(IngestError) {
            return try await maker.picture(key) { () async throws(IngestError) in
                PictureFiles.sources(of: row, try await reader.deliveries(of: content))
            }
        } catch {
            guard [.notFound, .corruptData].contains(error.code) else { throw StudioError(error) }
            throw Self.none(error.message, error.advice)
        }
    }

    private static func none(_ message: String, _ advice: String?) -> StudioError {
        StudioError(.notFound, "noPicture", message, advice: advice)
    }
}
