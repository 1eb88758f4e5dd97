import FilmgateCore

extension CardProof.Verdict {
    /// What all of these say together: each of a file's targets has its own reason; nil for none.
    ///
    /// The first says what kind they are, and the first that knows what ends it what to do.
    static func together(_ problems: [Self]) -> Self? {
        guard let first = problems.first, problems.count > 1 else { return problems.first }
        var reasons: [String] = []
        for case let reason? in problems.map(\.reason) where !reasons.contains(reason) { reasons.append(reason) }
        let words = reasons.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }.joined(separator: "; ")
        return switch first {
        case .removed(_, let isAway): .removed(words, isAway: isAway)
        case .problem: .problem(words, problems.lazy.compactMap(\.remedy).first)
        case .proven, .exempt: first
        }
    }

    /// The same with the targets that prove the file, where it is about a copy on the card's own device: who reads that
    /// a gallery has it may take the copy for one too many.
    func beside(_ holders: [String]) -> Self {
        guard case .problem(let words, .allowSameDevice) = self, !holders.isEmpty else { return self }
        let beside = "it is proven at \(holders.joined(separator: ", ")), and has to be at each target that it is for"
        return .problem("\(words); \(beside)", .allowSameDevice)
    }

    private var remedy: ProofRemedy? {
        if case .problem(_, let remedy) = self { return remedy }
        return nil
    }

    /// What is said of it; nil for what is proven.
    var reason: String? {
        switch self {
        case .proven: nil
        case .exempt(let why), .problem(let why, _), .removed(let why, _): why
        }
    }
}
