import FilmgateCore

/// Stars and pick of bytes as lists show them: a person's word, else the camera's; all of it in one byte.
struct FrameVerdict: Sendable, Hashable {
    /// Three bits for the stars, two for the pick; 0 where nobody said anything.
    private(set) var code: UInt8
    private static let picks: [PictureMark.Pick] = [.none, .picked, .rejected]

    init(camera: Int?) { self.init(stars: camera ?? 0, camera == -1 ? .rejected : .none) }

    /// `camera`: the file's own rating.
    init(_ mark: PictureMark, camera: Int?) { self = FrameVerdict(camera: camera).marked(mark) }

    fileprivate init(code: UInt8) { self.code = code }
    private init(stars: Int, _ pick: PictureMark.Pick) {
        code = UInt8(min(max(0, stars), PictureMark.ratings.upperBound)) | Self.code(pick) << 3
    }

    var stars: Int { Int(code & 7) }
    private var pickCode: UInt8 { code >> 3 }
    /// One bit of those in a `ContentCondition`.
    var pickBit: UInt8 { 1 << pickCode }

    /// What people said instead, where they did.
    func marked(_ mark: PictureMark) -> FrameVerdict {
        FrameVerdict(stars: mark.rating ?? stars, mark.pick ?? Self.picks[Int(pickCode)])
    }

    private static func code(_ pick: PictureMark.Pick) -> UInt8 { UInt8(picks.firstIndex(of: pick) ?? 0) }
    static func bits(_ picks: Set<PictureMark.Pick>) -> UInt8 { picks.reduce(0) { $0 | 1 << code($1) } }
}

/// The verdicts on all bytes, by the numbers that the ledger has for them: one byte a content.
struct FrameVerdicts: Sendable {
    private var codes: [UInt8] = []

    /// Nil where it was not asked for: what was known stays.
    mutating func note(_ verdict: FrameVerdict?, of content: Int64?) {
        guard let verdict, let content, content > 0, content < NumberSet.most else { return }
        let place = Int(content)
        if place >= codes.count {
            if verdict.code == 0 { return }
            codes.append(contentsOf: repeatElement(0, count: place + 1 - codes.count))
        }
        codes[place] = verdict.code
    }

    subscript(content: UInt32) -> FrameVerdict {
        let place = Int(content)
        return FrameVerdict(code: place < codes.count ? codes[place] : 0)
    }
}

/// What of a filter is asked of a file's bytes.
///
/// The answer changes without the file, so nothing that was chosen by it is kept.
struct ContentCondition: Sendable {
    private let stars: Int, picks: UInt8, bodies: NumberSet?, contents: NumberSet?
    private let verdicts: FrameVerdicts, makers: FrameBodies

    init(_ filter: FrameFilter, _ finds: FrameFinds, _ verdicts: FrameVerdicts, _ makers: FrameBodies) {
        (stars, picks) = (filter.stars ?? 0, filter.picks.map(FrameVerdict.bits) ?? .max)
        (bodies, contents) = (finds.onlyBodies, finds.onlyContents)
        (self.verdicts, self.makers) = (verdicts, makers)
    }

    /// It asks nothing.
    var fitsAll: Bool { stars == 0 && picks == .max && bodies == nil && contents == nil }

    func fits(_ slot: FrameSlot) -> Bool {
        let verdict = verdicts[slot.content]
        guard verdict.stars >= stars, verdict.pickBit & picks != 0 else { return false }
        if let contents, !contents.contains(Int64(slot.content)) { return false }
        guard let bodies else { return true }
        let maker = makers.maker(of: slot.content)
        return maker != 0 && bodies.contains(Int64(maker))
    }
}
