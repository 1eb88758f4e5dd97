import FilmgateCore

/// Remembers which targets a file with certain facts should have reached: a card has thousands of files and a handful
/// of answers.
///
/// A value: whoever gets a copy has the answers that were there by then.
struct WantedCache: Sendable {
    typealias Answer = @Sendable (KnownFile, KnownShot) -> [String]
    /// What of a file an answer depends on beside its camera, owner and kind.
    struct Parts {
        var size = false, ext = false, pixels = false
    }
    private struct Key: Hashable {
        var make: String?, model: String?, serial: String?, owner: String?, kind: MediaKind, size: UInt64, ext: String
        var pixels: Int
    }
    private let answer: Answer
    /// Nil where nothing is remembered: what rules look at differs from file to file.
    private let parts: Parts?
    private var answers: [Key: [String]] = [:], last: (key: Key, answer: [String])?

    init(by parts: Parts? = nil, _ answer: @escaping Answer) { (self.parts, self.answer) = (parts, answer) }

    init(_ plan: Plan) {
        let traits = plan.targets.map(\.traits)
        let parts = Parts(
            size: traits.contains { $0.maxSize != nil }, ext: traits.contains { $0.extensions != nil },
            pixels: traits.contains { $0.maxPixels != nil })
        self.init(by: plan.hasRules ? nil : parts) { plan.wanted($0, in: $1) }
    }

    mutating func wanted(_ known: KnownFile, in shot: KnownShot = KnownShot()) -> [String] {
        guard let parts else { return answer(known, shot) }
        let key = Key(
            make: known.make, model: known.model, serial: known.serial, owner: known.owner, kind: known.kind,
            size: parts.size ? known.fingerprint.size : 0,
            ext: parts.ext ? FileName(known.fingerprint.path).ext.lowercased() : "",
            pixels: parts.pixels ? known.pixels ?? 0 : 0)
        // Neighbours on a card are mostly alike: comparing takes a fraction of what looking up does.
        if let last, last.key == key { return last.answer }
        let found = answers[key] ?? answer(known, KnownShot())
        if answers[key] == nil { answers[key] = found }
        last = (key, found)
        return found
    }
}
