import FilmgateCore
import HTTPKit
import Logging
import Synchronization
import XMLKit

/// One part that the service has.
struct StoredPart: Sendable {
    var etag: String, checksum: String, size: UInt64?

    func holds(_ sha256: String, _ md5: String?) -> Bool {
        checksum.isEmpty ? md5.map { etag == "\"\($0)\"" } ?? false : checksum == sha256
    }
}

extension S3Target {
    /// At most 10,000 parts, however large the file.
    func partSize(for size: UInt64) -> UInt64 { max(options.partSize.bytes, size / 10_000 + 1) }

    /// Sends a file in parts; goes on where an earlier try of the same key stopped, as far as its parts hold the same
    /// bytes.
    func sendParts(_ job: UploadJob) async throws(IngestError) -> HTTPResponse {
        let url = client.url(job.path), open = try await unfinished(job.path), upload: String
        if let id = open?.id { upload = id } else { upload = try await begin(job, url) }
        do throws(IngestError) {
            let parts = try await send(job, upload, having: open?.parts ?? [:])
            let response = try await complete(job, upload, parts)
            if response.status == 412 {
                await end(upload, of: job)
            } else if response.status >= 300 {
                throw failure(response, upload, of: job)
            }
            return response
        } catch {
            // Bytes that are not the promised ones must not wait there for a later try.
            if error.code == .corruptData || error.code == .rejected || uploads.isSpoiled(upload) {
                await end(upload, of: job)
            }
            throw error
        }
    }

    /// Ends an upload that this run began.
    ///
    /// Any other is only not gone on with: another machine may be at it.
    private func end(_ upload: String, of job: UploadJob) async {
        guard !uploads.isGone(upload) else { return }
        uploads.spoil(upload)
        guard uploads.isOurs(upload) else {
            logger.warning(
                "\(job.path) was begun in parts by an earlier run or another machine; what is there of it stays at the service."
            )
            return
        }
        _ = try? await client.ask("DELETE", client.url(job.path, query: "uploadId=" + upload))
    }

    /// What an answer means; where it is said of the upload itself, the next try begins another.
    private func failure(_ response: HTTPResponse, _ upload: String, of job: UploadJob) -> IngestError {
        var error = S3Failure.error(for: response)
        switch S3Failure.code(response) {
        case "NoSuchUpload": uploads.spoil(upload, isGone: true)
        case "InvalidPart", "InvalidPartOrder": uploads.spoil(upload)
        default: return error
        }
        // A service that always says so must not get one file over and over while all others wait behind it.
        if uploads.failed(job.path) > 2 { error.code = .rejected }
        return error
    }

    private func begin(_ job: UploadJob, _ url: String) async throws(IngestError) -> String {
        var headers = headers(job)
        if options.checksum == .sha256 { headers.append(("x-amz-checksum-algorithm", "SHA256")) }
        let response = try await client.ask("POST", url + "?uploads=", headers: headers)
        guard response.status == 200, let id = response.xml.first("UploadId"), !id.isEmpty else {
            throw S3Failure.error(for: response)
        }
        uploads.begun(Percent.encode(id))
        return Percent.encode(id)
    }

    /// The latest upload of that key which was begun and not finished; nil where there is none or the service does not
    /// tell.
    private func unfinished(_ key: String) async throws(IngestError) -> (id: String, parts: [Int: StoredPart])? {
        let list = try await client.ask("GET", client.base.text + "?prefix=\(Percent.encode(key))&uploads=")
        guard list.status == 200 else { return nil }
        let same = list.xml.pieces("Upload").filter { $0.first("Key") == key }
        let ids = same.compactMap { $0.first("UploadId") }.map { Percent.encode($0) }
        guard let id = ids.last(where: { !uploads.isSpoiled($0) }) else { return nil }
        let response = try await client.ask("GET", client.url(key, query: "max-parts=1000&uploadId=" + id))
        guard response.status == 200 else { return nil }
        var parts: [Int: StoredPart] = [:]
        for piece in response.xml.pieces("Part") {
            guard let number = piece.first("PartNumber").flatMap({ Int($0) }) else { continue }
            parts[number] = StoredPart(
                etag: piece.first("ETag") ?? "", checksum: piece.first("ChecksumSHA256") ?? "",
                size: piece.first("Size").flatMap { UInt64($0) })
        }
        return (id, parts)
    }

    /// Hashes and sends part by part; the last one leaves only when all bytes together are the promised ones.
    private func send(_ job: UploadJob, _ upload: String, having stored: [Int: StoredPart]) async throws(IngestError)
        -> [StoredPart]
    {
        let length = partSize(for: job.file.size), count = Int((job.file.size + length - 1) / length)
        // Parts that are there already are recognised by their checksum, or by their MD5 where the service tells no
        // other.
        let hasher = try SharedHasher(job.file.path, md5: !stored.isEmpty)
        var parts: [StoredPart] = []
        for number in 1...max(1, count) {
            let offset = UInt64(number - 1) * length, size = min(length, job.file.size - offset)
            let isLast = number == count
            let (digests, total) = try await reading.run { () throws(IngestError) in try hasher.next(size) }
            if isLast, total != job.digests.sha256 {
                throw IngestError(
                    .corruptData,
                    "\(job.file.path) no longer holds the bytes that were read before; the upload was ended.")
            }
            let checksum = Base64.text(of: digests.sha256)
            if let known = stored[number], known.size == size, known.holds(checksum, digests.md5) {
                parts.append(StoredPart(etag: known.etag, checksum: checksum, size: size))
                continue
            }
            let slice = FileSlice(
                path: job.file.path, offset: offset, length: size, of: job.file.size,
                sha256: Hex.text(of: digests.sha256))
            parts.append(try await sendPart(slice, number, upload, job, checksum))
        }
        return parts
    }

    private func sendPart(
        _ slice: FileSlice, _ number: Int, _ upload: String, _ job: UploadJob, _ checksum: String
    ) async throws(IngestError) -> StoredPart {
        var request = HTTPRequest("PUT", client.url(job.path, query: "partNumber=\(number)&uploadId=\(upload)"))
        if options.checksum == .sha256 { announce(checksum, in: &request) }
        let response = try await client.send(request, body: .file(slice), sha256: slice.sha256 ?? "")
        guard response.status == 200, let etag = response[header: "ETag"] else {
            throw failure(response, upload, of: job)
        }
        return StoredPart(etag: etag, checksum: checksum, size: slice.length)
    }

    private func complete(_ job: UploadJob, _ upload: String, _ parts: [StoredPart]) async throws(IngestError)
        -> HTTPResponse
    {
        var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        for (index, part) in parts.enumerated() {
            text += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(XMLEscaping.escaped(part.etag))</ETag>"
            if options.checksum == .sha256 { text += "<ChecksumSHA256>\(part.checksum)</ChecksumSHA256>" }
            text += "</Part>"
        }
        let body = Array((text + "</CompleteMultipartUpload>").utf8)
        var request = HTTPRequest("POST", client.url(job.path, query: "uploadId=" + upload))
        if options.ifNoneMatch { request.set("If-None-Match", "*") }
        let response = try await client.send(
            request, body: .bytes(body, type: "application/xml"), sha256: Hex.text(of: ByteDigest.sha256(body)))
        // The status comes before the work is done: only a result with the object's tag says that there is one. Not all
        // services call the result as Amazon does.
        guard !(200..<300).contains(response.status) || response.xml.first("ETag")?.isEmpty == false else {
            var error = failure(response, upload, of: job)
            if S3Failure.code(response) == nil {
                error = IngestError(.unavailable, "The service does not say that it put the parts together.")
            }
            throw error
        }
        return response
    }
}

/// What is known of uploads in parts, for as long as the target lives.
final class PartUploads: Sendable {
    private let known = Mutex<(ours: Set<String>, spoiled: Set<String>, gone: Set<String>)>(([], [], []))
    private let failures = Mutex<[String: Int]>([:])

    func begun(_ id: String) { known.withLock { _ = $0.ours.insert(id) } }
    func isOurs(_ id: String) -> Bool { known.withLock { $0.ours.contains(id) } }

    /// How often an upload of that key has been lost by now, with this time.
    func failed(_ key: String) -> Int {
        failures.withLock { failures in
            failures[key, default: 0] += 1
            return failures[key] ?? 0
        }
    }

    /// Not to be gone on with.
    ///
    /// `isGone`: the service has it no longer.
    func spoil(_ id: String, isGone: Bool = false) {
        known.withLock { known in
            known.spoiled.insert(id)
            if isGone { known.gone.insert(id) }
        }
    }
    func isSpoiled(_ id: String) -> Bool { known.withLock { $0.spoiled.contains(id) } }
    func isGone(_ id: String) -> Bool { known.withLock { $0.gone.contains(id) } }
}

/// A part hasher that moves between the threads of a pool, one call after the other.
private final class SharedHasher: @unchecked Sendable {  // Each call is awaited before the next begins.
    private let hasher: PartHasher

    init(_ path: String, md5: Bool) throws(IngestError) { hasher = try PartHasher(path, md5: md5) }

    /// The digests of the next bytes, and the SHA-256 of all so far.
    func next(_ length: UInt64) throws(IngestError) -> (PartHasher.Part, String) {
        (try hasher.next(length), hasher.total)
    }
}
