public import FilmgateCore

/// What targets on a server of files have in common: a hidden name while a file is sent, a rename when it is whole, few
/// questions.
public struct PlacedFiles: Sendable {
    public let transport: FileTransport
    /// The literal folder before the first variable; ends in `/` or is empty.
    public let base: String
    private let listing: NameListing, hidden: HiddenNames
    private let rereads: Bool, leftovers = StaleUploads()

    public init(_ transport: FileTransport, base: String, rereads: Bool, hidden: HiddenNames) {
        (self.transport, self.base, self.rereads, self.hidden) = (transport, base, rereads, hidden)
        listing = NameListing { folder async throws(IngestError) in
            try await transport.names(in: base + (folder.isEmpty ? "" : folder + "/"))
        }
    }

    /// Cuts a path template before the first part that varies.
    public static func cut(_ path: Template) -> (base: String, layout: Template)? {
        let text = path.source
        guard let variable = text.firstIndex(of: "{") else { return nil }
        let slash = text[..<variable].lastIndex(of: "/")
        let base = slash.map { String(text[...$0]) } ?? ""
        let rest = slash.map { String(text[text.index(after: $0)...]) } ?? text
        return Template(rest).map { (base, $0) }
    }

    public func check() async throws(IngestError) { _ = try await transport.names(in: base) }

    public func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
        if try await listing.isFree(path) { return .free }
        switch try await compare(path, job) {
        case .missing: return .free
        case .equal: return .same(receipt(job, at: path, proof: .reread, existed: true))
        case .other, .unknown: return .other
        }
    }

    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
        guard try await !listing.isFree(job.path), try await compare(job.path, job) == .equal else { return nil }
        leftovers.placed(job.path)
        return receipt(job, at: job.path, proof: .reread, existed: true)
    }

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        await removeLeftovers()
        // Renaming replaces at some servers: what stands there is looked at right before.
        if try await !listing.claim(job.path), let settled = try await settled(job) { return settled }
        let slash = job.path.utf8.lastIndex(of: 0x2F).map { String(job.path[...$0]) } ?? ""
        let part =
            base + slash + hidden.name(for: job.path, sha256: job.digests.sha256, broken: leftovers.tries(of: job.path))
        do throws(IngestError) {
            try await transport.put(job.slice, to: part, thenRenameTo: base + job.path)
        } catch {
            if error.code == .nameTaken || error.code == .corruptData {
                await transport.remove(part)
            } else {
                leftovers.broke(part, of: job.path)
            }
            guard error.code == .nameTaken else { throw error }
            if let settled = try await settled(job) { return settled }
            // Nobody has the name: renaming failed for another reason, or a broken connection looked like it.
            throw IngestError(.unavailable, error.message)
        }
        leftovers.placed(job.path)
        guard rereads else { return receipt(job, at: job.path, proof: .none) }
        switch try await compare(job.path, job) {
        case .equal: return receipt(job, at: job.path, proof: .reread)
        case .other(let why):
            throw IngestError(.corruptData, "\(url(job.path)) holds other bytes than were sent. \(why)")
        case .missing, .unknown:
            throw IngestError(.unavailable, "\(url(job.path)) is not there although the server took it.")
        }
    }

    /// Removes what tries that broke off left of files that have their names by now.
    public func removeLeftovers() async { for part in leftovers.takeAll() { await transport.remove(part) } }

    public func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        guard let path = receipt.id ?? receipt.url.flatMap(placed) else { return .cannotTell }
        return try await transport.compare(path, size: size, sha256: sha256).verification
    }

    /// The path of a copy of which another station told its address alone; nil for any other address than of a file
    /// that was placed here.
    private func placed(at address: String) -> String? {
        let root = transport.server.url(base)
        guard address.utf8.starts(with: root.utf8) else { return nil }
        let rest = String(decoding: address.utf8.dropFirst(root.utf8.count), as: UTF8.self)
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false).map { ListedName.decoded($0) ?? "" }
        guard parts.allSatisfy({ !$0.isEmpty && $0.first != "." && !$0.utf8.contains(0x2F) }) else { return nil }
        return base + parts.joined(separator: "/")
    }

    /// The receipt for our bytes under that name; nil when nothing is there, `nameTaken` when others are.
    private func settled(_ job: UploadJob) async throws(IngestError) -> Receipt? {
        switch try await compare(job.path, job) {
        case .missing: return nil
        case .equal:
            leftovers.placed(job.path)
            return receipt(job, at: job.path, proof: .reread, existed: true)
        case .other: throw IngestError(.nameTaken, "\(url(job.path)) exists already, with other bytes.")
        case .unknown:
            // Another name could make a second copy of it.
            throw IngestError(
                .rejected,
                "\(url(job.path)) exists already, and the server lets nobody read it: it may be this very file, sent before.",
                advice:
                    "Look at it there; then remove it, or give the account the right to read, and run `filmgate retry --failed`."
            )
        }
    }

    /// Servers say of what may not be read that it is not there: the folder's list tells.
    private func compare(_ path: String, _ job: UploadJob) async throws(IngestError) -> RemoteCopy {
        let answer = try await transport.compare(base + path, size: job.file.size, sha256: job.digests.sha256)
        guard answer == .missing else { return answer }
        let cut = path.utf8.lastIndex(of: 0x2F).map { path.utf8.index(after: $0) } ?? path.startIndex
        let names = try await transport.names(in: base + path[..<cut])
        return names?.contains(String(path[cut...])) == true ? .unknown : .missing
    }

    private func url(_ path: String) -> String { transport.server.url(base + path) }

    private func receipt(_ job: UploadJob, at path: String, proof: Receipt.Proof, existed: Bool = false) -> Receipt {
        Receipt(
            state: .done, url: url(path), id: base + path, sha256: job.digests.sha256, verified: proof,
            at: WallClock.nanoseconds, existed: existed)
    }
}
