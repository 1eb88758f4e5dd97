public import FilmgateCore
import HTTPKit

/// `webdav`: delivers into a folder of a WebDAV server.
///
/// A name appears there only when its bytes are whole, and nothing is ever replaced.
public struct WebDAVTarget: Module, UploadTarget {
    public static let manifest = Manifest(
        "webdav", "Delivers into a folder of a WebDAV server: a NAS, Nextcloud, nginx, Apache.", stability: .beta,
        needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits
    let options: WebDAVOptions, server: WebDAVServer, listing: NameListing, folders: MadeFolders
    private let leftovers = StaleUploads(), hidden: HiddenNames
    /// Final names that we began to send to when nothing was there.
    private let begun: BegunUploads

    public init(_ config: WebDAVOptions, _ context: ModuleContext) throws(IngestError) {
        let provider = try config.web.provider(context, for: [config.url.base])
        let server = WebDAVServer(
            base: config.url.base, client: HTTPClient(CurlTransport(config.web.transport), auth: provider))
        (options, self.server) = (config, server)
        listing = NameListing { folder async throws(IngestError) in try await server.names(in: folder) }
        folders = MadeFolders { folder async throws(IngestError) in try await server.makeFolder(folder) }
        let place = WebAddress(config.url.base)?.text ?? config.url.base
        var traits = config.web.traits(
            "webdav", place: place, provider: provider, context, layout: config.url.layout, idempotent: true)
        if config.placing == .direct {
            traits.warnings.append(
                "With `placing: direct` a server that ignores If-None-Match, as nginx does, lets two senders replace each other's file of one name: use `move` where others send there too."
            )
        }
        self.traits = traits
        hidden = HiddenNames(state: context.state, key: traits.identity)
        begun = BegunUploads(state: context.state, name: "webdav", key: traits.identity)
    }

    /// Reachable, trusted and signed in; the folder itself may still be missing.
    public func check() async throws(IngestError) { _ = try await server.names(in: "") }

    public func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
        if try await listing.isFree(path) {
            // This name it will be, most likely. Whatever comes to stand there is replaced only where it is a beginning
            // of these very bytes (`sendDirectly`).
            if options.placing == .direct { begun.expect(job.digests.sha256, Percent.encode(path)) }
            return .free
        }
        switch try await server.compare(path, job) {
        case .missing: return .free
        case .equal:
            if try await listing.isListed(path) { try await noteLeftover(of: job, at: path) }
            return .same(receipt(job, at: path, proof: .reread, existed: true))
        case .other: return .other
        case .unknown:
            if try await listing.isListed(path) { return .other }
            throw IngestError(
                .misconfigured,
                "\(server.url(path)) can be neither listed nor read: a file there could be replaced, so nothing was sent.",
                advice: "Let the account list or read the folder, then run `filmgate retry`.")
        }
    }

    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
        guard try await !listing.isFree(job.path), try await server.compare(job.path, job) == .equal else { return nil }
        leftovers.placed(job.path)
        if try await listing.isListed(job.path) { try await noteLeftover(of: job, at: job.path) }
        return receipt(job, at: job.path, proof: .reread, existed: true)
    }

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        await removeLeftovers()
        let receipt = try await deliver(job)
        begun.end(job.digests.sha256, Percent.encode(job.path))
        return receipt
    }

    private func deliver(_ job: UploadJob) async throws(IngestError) -> Receipt {
        let isFree = options.placing == .direct ? try await listing.claim(job.path) : false
        await listing.note(job.path)
        try await folders.need(Self.folder(of: job.path))
        let sent: Sent
        do throws(IngestError) {
            sent = options.placing == .move ? try await sendAndMove(job) : try await sendDirectly(job, isFree: isFree)
        } catch {
            if error.cause is MissingFolder { await folders.forget(Self.folder(of: job.path)) }
            throw error
        }
        switch sent {
        case .placed: break
        case .taken: return try await settled(job, isTaken: true, isOurs: false)
        case .gone(let isTaken): return try await settled(job, isTaken: isTaken, isOurs: true)
        }
        guard options.verify == .reread else { return receipt(job, at: job.path, proof: .none) }
        switch try await server.compare(job.path, job) {
        case .equal: return receipt(job, at: job.path, proof: .reread)
        case .missing:
            throw IngestError(.unavailable, "\(server.url(job.path)) is not there although the server took it.")
        case .other(let why):
            throw IngestError(.corruptData, "\(server.url(job.path)) holds other bytes than were sent. \(why)")
        case .unknown: return receipt(job, at: job.path, proof: .none)
        }
    }

    public func finishRun(_ delivered: [DeliveredFile]) async throws(IngestError) { await removeLeftovers() }

    public func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        guard let url = receipt.url, WebAddress(url)?.origin == WebAddress(options.url.base)?.origin else {
            return .cannotTell
        }
        return try await server.client.compare(url, size: size, sha256: sha256).verification
    }

    /// What became of bytes that were sent.
    private enum Sent {
        /// They have their name, by the server's word.
        case placed
        /// The server says that something has the name.
        case taken
        /// They are no longer where they were sent to: they may have been renamed by a request whose answer was lost.
        case gone(isTaken: Bool)
    }

    private func sendAndMove(_ job: UploadJob) async throws(IngestError) -> Sent {
        let part = part(of: job, at: job.path, broken: leftovers.tries(of: job.path))
        do throws(IngestError) { try await server.put(job, at: part, onlyNew: false) } catch {
            // A busy server begins with it only now, perhaps, and would cut what the next try sends to the same name.
            leftovers.broke(part, of: job.path)
            throw error
        }
        do throws(IngestError) {
            let renaming = try await server.move(part, to: job.path)
            if case .done = renaming {
                leftovers.placed(job.path)
                return .placed
            }
            let wasThere = await server.remove(part)
            if case .gone = renaming { return .gone(isTaken: false) }
            return wasThere ? .taken : .gone(isTaken: true)
        } catch {
            // Whether it was renamed is not known after a lost answer; what is refused leaves nothing behind.
            let isUnknown = error.code == .network || error.code == .cancelled
            // A renaming that is carried out late would give the name to what the next try is sending.
            if isUnknown || error.code == .unavailable { leftovers.broke(part, of: job.path) }
            if isUnknown { await listing.note(part) } else { await server.remove(part) }
            throw error
        }
    }

    private func sendDirectly(_ job: UploadJob, isFree: Bool) async throws(IngestError) -> Sent {
        // Not every server knows If-None-Match: what is there is asked for first, and the header stops whoever comes in
        // between.
        if !isFree, try await server.compare(job.path, job) != .missing {
            // Some servers keep what a try that broke off had sent, under the final name.
            guard try begun.place(of: job.digests.sha256) == Percent.encode(job.path),
                try await server.client.holdsBeginning(of: job, at: server.url(job.path))
            else {
                return .taken
            }
            guard try await server.put(job, at: job.path, onlyNew: false) else { return .taken }
            // A busy server may have begun only now with the try that broke off, and have cut the file again.
            guard try await server.compare(job.path, job) == .equal else {
                throw IngestError(
                    .unavailable, "\(server.url(job.path)) does not hold what was sent after a try that broke off.")
            }
            return .placed
        }
        try await begun.note(job.digests.sha256, Percent.encode(job.path))
        return try await server.put(job, at: job.path, onlyNew: true) ? .placed : .taken
    }

    /// The receipt where these very bytes have the name although the server did not say so; else why they do not.
    ///
    /// `isTaken`: the server says that something has it. `isOurs`: what stands there can only have come from this try.
    private func settled(_ job: UploadJob, isTaken: Bool, isOurs: Bool) async throws(IngestError) -> Receipt {
        let place = server.url(job.path)
        switch try await standing(job, isTaken: isTaken) {
        case .equal:
            leftovers.placed(job.path)
            return receipt(job, at: job.path, proof: .reread, existed: !isOurs)
        case .missing:
            // Another name would be no better, and would split its shot.
            throw IngestError(
                .unavailable,
                isTaken
                    ? "The server says that \(place) is in use, but has nothing there."
                    : "\(place) is not there although the server took it.",
                advice: "If it stays so, see whether the server has room and keeps what this account sends.")
        case .other: throw IngestError(.nameTaken, "\(place) exists already, with other bytes.")
        case .unknown:
            // Under another name it could be there twice.
            throw IngestError(
                .rejected,
                "\(place) \(isTaken ? "exists already" : "may be there"), and the server lets nobody read it: it may be this very file.",
                advice:
                    "Look at it there; then remove it, or give the account the right to read, and run `filmgate retry --failed`."
            )
        }
    }

    /// What stands at the job's name: of what may not be read some servers say that it is not there, which the folder's
    /// list knows better.
    private func standing(_ job: UploadJob, isTaken: Bool) async throws(IngestError) -> RemoteCopy {
        let answer = try await server.compare(job.path, job)
        guard answer == .missing || (answer == .unknown && !isTaken),
            let names = try await server.names(in: Self.folder(of: job.path))
        else { return answer }
        return names.contains(job.deliveredName) ? .unknown : .missing
    }

    /// A killed try may have left its part beside the whole file: found by a look, removed only by a run that delivers.
    private func noteLeftover(of job: UploadJob, at path: String) async throws(IngestError) {
        guard options.placing == .move, let name = hidden.usedName(for: path, sha256: job.digests.sha256) else {
            return
        }
        let part = Self.beside(path, name)
        if try await !listing.isFree(part) { leftovers.note(part) }
    }

    private func removeLeftovers() async { for part in leftovers.takeAll() { await server.remove(part) } }

    func part(of job: UploadJob, at path: String, broken: Int = 0) -> String {
        Self.beside(path, hidden.name(for: path, sha256: job.digests.sha256, broken: broken))
    }

    private static func beside(_ path: String, _ name: String) -> String {
        let folder = folder(of: path)
        return (folder.isEmpty ? "" : folder + "/") + name
    }

    static func folder(of path: String) -> String { path.utf8.lastIndex(of: 0x2F).map { String(path[..<$0]) } ?? "" }

    private func receipt(_ job: UploadJob, at path: String, proof: Receipt.Proof, existed: Bool = false) -> Receipt {
        Receipt(
            state: .done, url: server.url(path), sha256: job.digests.sha256, verified: proof, at: WallClock.nanoseconds,
            existed: existed)
    }
}
