import FilmgateCore

/// Which body a shot was taken with: what a file does not say of it, the first file of its shot that does says for it.
///
/// A RAW format that nobody can read yet, or a damaged one, must not cost its shot the profile that the JPEG beside it names.
struct ShotBody {
    private(set) var facts = MediaFacts()
    private let captured: CivilTime?

    /// `assets` in the shot's order; frames are asked before what follows them.
    init(of assets: [Asset]) {
        let ordered = assets.filter { !$0.kind.follows } + assets.filter(\.kind.follows)
        captured = ordered.lazy.compactMap { $0.kind.follows ? nil : $0.media?.captured }.first
        for asset in ordered { if let own = asset.media, isMine(asset) { Self.fill(&facts, from: own) } }
    }

    /// Says for `asset` what it leaves open, unless it is of another body or day and only bears the same name.
    func complete(_ asset: inout Asset) {
        guard isMine(asset), facts != MediaFacts() else { return }
        var own = asset.media ?? MediaFacts()
        Self.fill(&own, from: facts)
        asset.media = own
    }

    private func isMine(_ asset: Asset) -> Bool {
        if let own = asset.media?.model, let model = facts.model, own != model { return false }
        return asset.kind.follows || !ShotTime.isApart(asset.media?.captured, captured)
    }

    private static func fill(_ facts: inout MediaFacts, from other: MediaFacts) {
        (facts.make, facts.model) = (facts.make ?? other.make, facts.model ?? other.model)
        (facts.serial, facts.owner) = (facts.serial ?? other.serial, facts.owner ?? other.owner)
    }
}

/// When two files of one name cannot be of one moment.
enum ShotTime {
    /// More than any zone that a movie's clock may have been read in, and any clip's length.
    private static let day: Int64 = 86_400

    /// True where both are known, and more than a day lies between them.
    static func isApart(_ one: CivilTime?, _ other: CivilTime?) -> Bool {
        guard let one, let other else { return false }
        return abs(one.civilSeconds - other.civilSeconds) > day
    }
}

extension Shot {
    /// Lets the files of the shot say for each other which body they are of; once all have been read.
    mutating func shareBody() {
        guard assets.count + known.count > 1 || remembered != nil else { return }
        let body = ShotBody(of: [remembered].compactMap { $0 } + assets + known)
        for index in assets.indices { body.complete(&assets[index]) }
        if var lead = remembered {
            body.complete(&lead)
            remembered = lead
        }
    }
}
