import FilmgateCore

/// Remote copies: what the target says now, and else what it said last; never what a receipt remembers of a reading.
extension CardProof {
    /// Nil when the target has these bytes now: it knows them, or they were read back from it and compared.
    ///
    /// `isConfirmed`: it named their digest when it took them. That counts, as `proven`, where it cannot be asked or tell now, and never
    /// against what it said since.
    func ask(_ delivery: DeliveryRow, _ job: UploadJob, isConfirmed: Bool) async -> Verdict? {
        let name = delivery.targetName
        let (word, silence) = await word(on: delivery, job)
        heard.note(word, of: delivery)
        switch CopyEvidence(isConfirmed: isConfirmed, denial: delivery.denial).standing(word) {
        case .proven: return nil
        case .believed: return .proven
        case .unconfirmed: return .problem("\(name)\(silence)")
        case .denied(let denial):
            let said = word == nil || word == .silent ? ", as it said at \(denial.date) and has not taken back" : ""
            switch denial.kind {
            case .gone:
                let reason = denial.reason.hasSuffix(".") ? String(denial.reason.dropLast()) : denial.reason
                return .removed("\(name): \(reason): \(Self.place(delivery))\(said)")
            case .differs:
                return .problem("\(name): it has other bytes than were delivered\(said). \(denial.reason)", .deliverAnew)
            }
        }
    }

    /// What it says; nil where it was not asked or did not answer, and then, in any case, what is to be said of that.
    private func word(on delivery: DeliveryRow, _ job: UploadJob) async -> (TargetAnswer?, silence: String) {
        guard let proofTargets else { return (nil, ": accepted, but it never confirmed the bytes; with --pipeline FILE it is asked") }
        let answer = await Result { () async throws(IngestError) -> TargetAnswer? in
            try proofTargets.requireHeard(delivery.target)
            return try await proofTargets.target(of: delivery)?.word(on: delivery, job)
        }
        switch answer {
        case .success(nil): return (nil, ": the pipeline names no such target\(Self.event(delivery)) that could be asked for it")
        case .success(let word): return (word, ": accepted, but it cannot say now that it has these bytes")
        case .failure(let error):
            proofTargets.note(error, of: delivery.target)
            return (nil, " could not be asked: \(error.message)")
        }
    }

    static func place(_ delivery: DeliveryRow) -> String {
        delivery.receipt.path ?? delivery.receipt.url
            ?? (delivery.path.isEmpty ? delivery.receipt.id ?? delivery.content.sha256 : delivery.path)
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
