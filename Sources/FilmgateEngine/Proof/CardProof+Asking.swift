import FilmgateCore

/// Remote copies: what the target says now, never what a receipt remembers of a reading.
extension CardProof {
    /// Nil when the target has these bytes now: it knows them, or they were read back from it and compared.
    ///
    /// `isConfirmed`: it named their digest when it took them. That counts, as `proven`, where it cannot be asked or tell now, and never
    /// against what it says now.
    func ask(_ delivery: DeliveryRow, _ job: UploadJob, isConfirmed: Bool) async -> Verdict? {
        let name = delivery.targetName
        guard let witnesses else {
            if isConfirmed { return .proven }
            return .problem("\(name): accepted, but it never confirmed the bytes; with --pipeline FILE it is asked")
        }
        let answer = await Result { () async throws(IngestError) -> Verdict? in
            try witnesses.requireHeard(delivery.target)
            guard let target = try witnesses.target(of: delivery) else {
                if isConfirmed { return .proven }
                return .problem("\(name): the pipeline names no such target\(Self.event(delivery)) that could be asked for it")
            }
            if let found = try await target.find(job), found.verified == .server || found.verified == .reread { return nil }
            // What it says of the bytes themselves stands above what can be read at the address of earlier, as in a bin.
            if let isKnown = try await target.knows(job) {
                return isKnown ? nil : .removed("\(name): asked by digest, it no longer has these bytes: \(Self.place(delivery))")
            }
            switch try await target.verify(delivery.receipt, size: job.file.size, sha256: job.digests.sha256) {
            case .equal: return nil
            case .differs(let why): return .problem("\(name): it has other bytes than were delivered. \(why)")
            case .missing: return .removed("\(name): removed since: \(Self.place(delivery))")
            case .discarded(let why): return .removed("\(name): \(why) \(Self.place(delivery))")
            case .cannotTell where isConfirmed: return .proven
            case .cannotTell: return .problem("\(name): accepted, but it cannot say now that it has these bytes")
            }
        }
        switch answer {
        case .success(let verdict): return verdict
        case .failure(let error):
            witnesses.note(error, of: delivery.target)
            return isConfirmed ? .proven : .problem("\(name) could not be asked: \(error.message)")
        }
    }

    private static func place(_ delivery: DeliveryRow) -> String {
        delivery.receipt.url ?? (delivery.path.isEmpty ? delivery.receipt.id ?? delivery.content.sha256 : delivery.path)
    }

    private static func event(_ delivery: DeliveryRow) -> String {
        delivery.isUnassigned ? "" : delivery.event.map { " for the event \($0)" } ?? ""
    }

    /// The question that `find` gets, as a delivery of these bytes would be.
    static func question(_ entry: SourceEntry, _ path: String, size: UInt64, _ digests: Digests, _ delivery: DeliveryRow) -> UploadJob {
        var asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
        asset.digests = digests
        let file = LocalFile(path: path, size: size, ownership: .source)
        var values = TemplateValues()
        values.text["sha256"] = digests.sha256
        values.text["event"] = delivery.isUnassigned ? nil : delivery.event
        return UploadJob(
            asset: asset, file: file, digests: digests, path: delivery.path, name: entry.origin.name, values: values, event: delivery.event)
    }
}
