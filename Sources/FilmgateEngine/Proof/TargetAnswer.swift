import FilmgateCore

/// What a target says of one delivery when it is asked.
enum TargetAnswer: Sendable, Hashable {
    /// It has these very bytes: it found them by their digest, or they were read back from it and compared.
    case has
    case denies(Denial.Kind, String)
    /// It answered, and cannot tell. Whoever was not asked, did not answer or broke says less than that: no word at
    /// all.
    case silent

    init(_ verification: Verification) {
        switch verification {
        case .equal: self = .has
        case .differs(let why): self = .denies(.differs, why)
        case .missing: self = .denies(.gone, "removed since")
        case .discarded(let why): self = .denies(.gone, why)
        case .cannotTell: self = .silent
        }
    }

    static let unknownDigest = "asked by digest, it no longer has these bytes"

    /// What it says against the copy, as it is written down; nil where it says nothing against it.
    var denial: Denial? {
        guard case .denies(let kind, let why) = self else { return nil }
        return Denial(kind, why, at: WallClock.nanoseconds)
    }
}

/// What is known of one copy at a target, in the order in which it was heard: each later word stands above the earlier
/// ones.
struct CopyEvidence: Sendable, Hashable {
    /// The target named the bytes' digest when it took them.
    var isConfirmed: Bool
    /// What it said against the copy since.
    var denial: Denial?

    enum Standing: Sendable, Hashable {
        /// By what it says now.
        case proven
        /// By what it said when it took the bytes, and by nothing else that it said since.
        case believed
        case denied(Denial)
        /// It took the bytes and never confirmed them.
        case unconfirmed
    }

    /// `word`: what it says now; nil where it was not asked or did not answer.
    func standing(_ word: TargetAnswer?) -> Standing {
        if let denial = word?.denial { return .denied(denial) }
        if word == .has { return .proven }
        if let denial { return .denied(denial) }
        return isConfirmed ? .believed : .unconfirmed
    }

    /// From now on.
    mutating func hear(_ word: TargetAnswer?) {
        switch word {
        case .has: denial = nil
        case .denies: denial = word?.denial
        case .silent, nil: break
        }
    }
}

extension TargetStatement {
    /// Nil where the word changes nothing.
    init?(of row: DeliveryRow, _ word: TargetAnswer?) {
        switch word {
        case .has where row.denial != nil: self.init(of: row, nil as Denial?)
        case .denies: self.init(of: row, word?.denial)
        case .has, .silent, nil: return nil
        }
    }
}

extension UploadTarget {
    /// What it says of a delivery.
    ///
    /// The bytes themselves are asked for first: what it says of them by their digest stands above what can be read at
    /// the address of earlier, as in a bin.
    func word(on delivery: DeliveryRow, _ job: UploadJob) async throws(IngestError) -> TargetAnswer {
        if let found = try await find(job), found.verified.isProof { return .has }
        if let isKnown = try await knows(job) { return isKnown ? .has : .denies(.gone, TargetAnswer.unknownDigest) }
        return TargetAnswer(try await verify(delivery.receipt, size: job.file.size, sha256: job.digests.sha256))
    }
}
