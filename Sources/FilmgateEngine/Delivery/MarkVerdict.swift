import FilmgateCore

/// What the marks of its picture say of a delivery that has not been sent.
enum MarkVerdict: Sendable, Hashable {
    case takes
    /// It waits until somebody marks the picture; why, in words.
    case waits(String)
    /// It is not wanted there, such as a rejected one.
    case refuses(String)

    init(_ decision: DeliveryRule.Decision) {
        switch decision {
        case .takes, .undecided: self = .takes
        case .waits(let reason): self = .waits(reason)
        case .refuses(let reason): self = .refuses(reason)
        }
    }

    /// What is told of it while it waits, or where it is not wanted; nil where it is sent.
    var receipt: Receipt? {
        switch self {
        case .takes: nil
        case .waits(let reason): Receipt(state: .pending, reason: reason)
        case .refuses(let reason): Receipt(state: .excluded, reason: reason)
        }
    }

    var waiting: String? { if case .waits(let reason) = self { reason } else { nil } }
}

extension Delivery {
    /// Waits for a person.
    var isGated: Bool { if case .gated = state { true } else { false } }

    /// For which mark it waits, where nothing else is to be done with it before; nil where something is.
    var waitsForMarks: String? {
        switch state {
        case .planned, .deferred, .gated: verdict.waiting
        case .withheld, .waiting, .naming, .sending, .failing, .settled: nil
        }
    }

    /// The marks of these pictures, or with nil of any, decide about it, and it is not final.
    func isJudged(by sha256s: Set<String>?) -> Bool {
        guard let gate, !isSettled else { return false }
        return sha256s?.contains(gate.sha256) ?? true
    }

    /// Marks say that it is not wanted.
    var isUnwanted: Bool { if case .refuses = verdict { true } else { false } }

    mutating func judge(by marks: [String: PictureMark]) {
        guard let gate else { return }
        verdict = MarkVerdict(gate.decision(on: marks[gate.sha256] ?? PictureMark()))
    }
}
