public import FilmgateCore
import HTTPKit
import Logging

/// `s3`: delivers into a bucket of Amazon S3 or of anything that speaks its dialect.
public struct S3Target: Module, UploadTarget {
    public static let manifest = Manifest(
        "s3", "Delivers into an S3 bucket; the service checks every file's digest on arrival.", stability: .beta,
        needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits
    let options: S3Options, client: S3Client, listing: NameListing
    let reading = BlockingPool(width: 4), uploads = PartUploads(), logger: Logger

    public init(_ config: S3Options, _ context: ModuleContext) throws(IngestError) {
        guard let base = config.base else {
            throw IngestError(.misconfigured, "The target \(context.name) has no usable endpoint.")
        }
        (options, logger) = (config, context.logger)
        let provider = try config.web.provider(context, for: [base.text])
        let signer = (provider as? any AWSKeySource).map { S3Signer($0, region: config.region) }
        let client = S3Client(
            base: base, http: HTTPClient(CurlTransport(config.web.transport), auth: signer ?? provider), signer: signer)
        self.client = client
        listing = NameListing { folder async throws(IngestError) in try await client.names(in: folder) }
        var traits = config.web.traits(
            "s3", place: base.text, provider: provider, context, layout: config.key,
            digests: config.checksum == .md5 ? [.md5] : [], idempotent: true)
        if !config.ifNoneMatch {
            traits.warnings.append(
                "Nothing at the service prevents that two senders use one key at the same moment; each key is asked for before it is used."
            )
        }
        self.traits = traits
    }

    /// Reachable, signed in, and the bucket there.
    public func check() async throws(IngestError) {
        let response = try await client.ask("GET", client.base.text + "?list-type=2&max-keys=1")
        guard response.status == 200 else { throw S3Failure.error(for: response) }
        guard client.isListing(response) else { throw S3Failure.notS3(response) }
    }

    public func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
        if try await isKnownFree(path) { return .free }
        switch try await visibleCopy(at: path, of: job) {
        case .missing, nil: return .free
        case .same(let receipt): return .same(receipt)
        case .other: return .other
        }
    }

    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
        guard try await !listing.isFree(job.path),
            case .same(let receipt)? = try await visibleCopy(at: job.path, of: job)
        else { return nil }
        return receipt
    }

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        if try await mayBeTaken(job.path) {
            switch try await visibleCopy(at: job.path, of: job) {
            case .missing, nil: break
            case .same(let receipt): return receipt
            case .other: throw IngestError(.nameTaken, "\(client.url(job.path)) exists already, with other bytes.")
            }
        }
        let response =
            job.file.size > options.multipartAbove.bytes ? try await sendParts(job) : try await sendWhole(job)
        if response.status == 412 { return try await settled(job, response) }
        guard (200..<300).contains(response.status), S3Failure.code(response) == nil else {
            throw S3Failure.error(for: response)
        }
        guard client.isStored(response) else { throw S3Failure.notS3(response) }
        return receipt(job, proof: proof(response, job))
    }

    public func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        guard let url = receipt.url, url.hasPrefix(client.base.text) else { return .cannotTell }
        let head = try await client.ask("HEAD", url, headers: [("x-amz-checksum-mode", "ENABLED")])
        if head.status == 404 { return .missing }
        if head.status == 200, let said = head.wholeChecksum {
            return said == JobDigest.base64(sha256)
                ? .equal : .differs("Its SHA-256 is \(HeaderText.clean(String(said.prefix(80)))).")
        }
        return try await client.http.compare(url, size: size, sha256: sha256).verification
    }

    /// A key made of the digest can only be held by the same bytes.
    private func isKnownFree(_ path: String) async throws(IngestError) -> Bool {
        if isNamedByDigest { return true }
        return try await listing.isFree(path)
    }

    private var isNamedByDigest: Bool { options.key?.uses.contains("sha256") == true }

    /// Whether the key has to be looked at before it is written; from now on only the service knows about it.
    ///
    /// Some services let If-None-Match go by without a word, and would replace what came there since the folder was
    /// listed.
    private func mayBeTaken(_ path: String) async throws(IngestError) -> Bool {
        if options.ifNoneMatch, !isNamedByDigest { return try await !listing.claim(path) }
        await listing.note(path)
        return !options.ifNoneMatch
    }

    /// The service says that the key is in use: fine when it holds these bytes, else the name is taken.
    private func settled(_ job: UploadJob, _ response: HTTPResponse) async throws(IngestError) -> Receipt {
        switch try await visibleCopy(at: job.path, of: job) {
        case .same(let receipt)?: return receipt
        case .missing, .other:
            throw IngestError(.nameTaken, "\(client.url(job.path)) exists already, with other bytes.")
        case nil:
            // Under another name it could be there twice.
            throw IngestError(
                .rejected,
                "\(client.url(job.path)) exists already, and this account may not read it: it may be this very file.",
                advice:
                    "Look at it there; then remove it, or let the account read, and run `filmgate retry --failed`."
            )
        }
    }

    func receipt(_ job: UploadJob, proof: Receipt.Proof, existed: Bool = false) -> Receipt {
        Receipt(
            state: .done, url: client.url(job.path), sha256: job.digests.sha256, verified: proof,
            at: WallClock.nanoseconds, existed: existed)
    }
}
