import FilmgateCore
import HTTPKit

/// What stands under a key.
enum KeyedCopy { case missing, same(Receipt), other }

/// The `cause` of an error: this account may not look at that key, which says nothing of what else it may do.
struct KeyNotReadable: Error {}

extension S3Client {
    /// The names directly below a folder; nil when there are too many to list.
    func names(in folder: String) async throws(IngestError) -> Set<String>? {
        let prefix = folder.isEmpty ? "" : folder + "/"
        var names: Set<String> = [], token: String?
        for _ in 0..<20 {
            var query = "delimiter=%2F&encoding-type=url&list-type=2&prefix=" + Percent.encode(prefix)
            if let token { query = "continuation-token=\(Percent.encode(token))&" + query }
            let response = try await ask("GET", base.text + "?" + query)
            // Without the right to list, each name is asked for by itself.
            if response.status == 403 || response.status == 501 { return nil }
            guard response.status == 200 else { throw S3Failure.error(for: response) }
            guard isListing(response) else { throw S3Failure.notS3(response) }
            // A list that is cut, or none at all: what it leaves out is not free.
            let answer = response.xml
            guard !response.truncated, answer.isWhole, let list = answer.pieces("ListBucketResult").first else {
                return nil
            }
            let isEncoded = list.first("EncodingType") == "url"
            for key in list.all("Key") {
                guard let readings = Self.readings(of: key, isEncoded: isEncoded) else { return nil }
                for plain in readings where plain.utf8.starts(with: prefix.utf8) {
                    names.insert(String(Substring(plain.utf8.dropFirst(prefix.utf8.count))))
                }
            }
            token = list.first("NextContinuationToken")
            if token == nil { return list.first("IsTruncated") == "true" ? nil : names }
        }
        return nil
    }

    /// What a listed key may stand for: services differ in what they encode, and one that is read wrongly would count
    /// as free.
    ///
    /// Nil when nobody can tell.
    private static func readings(of key: String, isEncoded: Bool) -> Set<String>? {
        let asForm = ListedName.decoded(key.replacing("+", with: " ")), asPath = ListedName.decoded(key)
        guard let sure = isEncoded ? asForm : ListedName.of(key.utf8) else { return nil }
        return Set([sure, asForm, asPath].compactMap { $0 })
    }
}

extension S3Target {
    /// Sends a file in one request.
    func sendWhole(_ job: UploadJob) async throws(IngestError) -> HTTPResponse {
        var request = HTTPRequest("PUT", client.url(job.path), headers: headers(job))
        switch options.checksum {
        case .sha256: announce(JobDigest.base64(job.digests.sha256), in: &request)
        case .md5: request.set("Content-MD5", JobDigest.base64(job.digests[.md5]))
        case .none: break
        }
        if options.ifNoneMatch { request.set("If-None-Match", "*") }
        let body = HTTPBody.file(job.slice, type: MediaType.of(fileName: job.name))
        return try await client.send(request, body: body, sha256: job.digests.sha256)
    }

    /// The checksum that the service has to find, and the word that this is the one to keep.
    func announce(_ checksum: String, in request: inout HTTPRequest) {
        request.set("x-amz-checksum-sha256", checksum)
        request.set("x-amz-sdk-checksum-algorithm", "SHA256")
    }

    /// What the object gets, however it is sent.
    func headers(_ job: UploadJob) -> [(name: String, value: String)] {
        var headers = [("Content-Type", MediaType.of(fileName: job.name)), ("x-amz-meta-sha256", job.digests.sha256)]
        if !options.storageClass.isEmpty { headers.append(("x-amz-storage-class", options.storageClass)) }
        return headers.map { (name: $0.0, value: $0.1) }
    }

    /// Repeated by a service that computes it from what it stored, a digest is proof.
    func proof(_ response: HTTPResponse, _ job: UploadJob) -> Receipt.Proof {
        if options.checksum == .sha256,
            response[header: "x-amz-checksum-sha256"] == JobDigest.base64(job.digests.sha256)
        {
            return .server
        }
        if let md5 = job.digests[.md5], response[header: "ETag"] == "\"\(md5)\"" { return .server }
        return .none
    }

    /// Looks at a key: by the checksum that the service keeps, else by reading it back.
    func copy(at path: String, of job: UploadJob) async throws(IngestError) -> KeyedCopy {
        let head = try await client.ask("HEAD", client.url(path), headers: [("x-amz-checksum-mode", "ENABLED")])
        try head.requireOwnAddress()
        if head.status == 404 { return .missing }
        guard head.status == 200 else {
            var error = S3Failure.error(for: head)
            if head.status == 403 { error.cause = KeyNotReadable() }
            throw error
        }
        if let length = head[header: "Content-Length"].flatMap({ UInt64($0) }), length != job.file.size {
            return .other
        }
        var job = job
        job.path = path
        if let said = head.wholeChecksum {
            return said == JobDigest.base64(job.digests.sha256)
                ? .same(receipt(job, proof: .server, existed: true)) : .other
        }
        switch try await client.http.compare(client.url(path), size: job.file.size, sha256: job.digests.sha256) {
        case .equal: return .same(receipt(job, proof: .reread, existed: true))
        case .missing: return .missing
        case .other: return .other
        case .unknown:
            throw IngestError(
                .unauthorized, "\(client.url(path)) exists, but cannot be read to compare it.", cause: KeyNotReadable())
        }
    }

    /// As `copy`; nil where the account may not look, and the service itself is told not to replace.
    func visibleCopy(at path: String, of job: UploadJob) async throws(IngestError) -> KeyedCopy? {
        do throws(IngestError) { return try await copy(at: path, of: job) } catch {
            guard options.ifNoneMatch, error.cause is KeyNotReadable else { throw error }
            return nil
        }
    }
}

extension HTTPResponse {
    /// The SHA-256 of a whole object as the service keeps it; nil where it has none, or one that is made of its parts'.
    var wholeChecksum: String? {
        let isOfParts =
            self[header: "ETag"]?.contains("-") == true && self[header: "x-amz-checksum-type"] != "FULL_OBJECT"
        return isOfParts ? nil : self[header: "x-amz-checksum-sha256"].flatMap { $0.contains("-") ? nil : $0 }
    }
}
