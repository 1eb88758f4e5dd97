import FilmgateCore

/// A path with places for its event, number and suffix.
///
/// The next name is made by filling it in anew, never by reading numbers out of a name: `2026-05-12.JPG` ends in a day.
struct PathPattern: Sendable, Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    /// Of a path whose parts are not known any more: all of it is its own, and a suffix goes where it would have gone.
    init(path: String, of shot: ShotPlace) {
        let path = path
        if let inner = shot.innerPath.map({ "/" + SafeName.path($0) }), path.hasSuffix(inner),
            path.utf8.count > inner.utf8.count
        {
            text = path.dropLast(inner.count) + NameSlot.suffix + inner
            return
        }
        let folder = path.utf8.lastIndex(of: 0x2F).map { String(path[...$0]) } ?? ""
        let name = FileName(String(path.dropFirst(folder.count)))
        var (stem, ending) = (name.stem, name.ext.isEmpty ? "" : "." + name.ext)
        if let primary = shot.sidecarOf.map({ "." + $0 }), stem.hasSuffix(primary) {
            (stem, ending) = (String(stem.dropLast(primary.count)), primary + ending)
        }
        text = folder + stem + NameSlot.suffix + ending
    }

    var usesCounter: Bool { NameSlot.mayBe(in: text) && text.unicodeScalars.contains(NameSlot.counterScalar) }

    /// The path; the event's place stays open where it is nil, `suffix` 1 = none.
    func path(event: String?, counter: Int, suffix: Int) -> String {
        var path = "", rest = text[...]
        while NameSlot.mayBe(in: rest) {
            let end = rest.utf8.firstIndex(of: 0x2F) ?? rest.endIndex, part = rest[..<end]
            path +=
                NameSlot.mayBe(in: part)
                ? Self.filled(String(part), event: event, counter: counter, suffix: suffix) : String(part)
            guard end < rest.endIndex else { return path }
            path += "/"
            rest = rest[rest.utf8.index(after: end)...]
        }
        return path.isEmpty ? text : path + rest
    }

    /// What the names of a whole shot begin with: the path up to its suffix; nil where no suffix fits into it.
    func stem(event: String?, counter: Int, suffix: Int) -> String? {
        guard let slot = text.unicodeScalars.lastIndex(of: NameSlot.suffixScalar) else { return nil }
        return PathPattern(String(text.unicodeScalars[...slot])).path(event: event, counter: counter, suffix: suffix)
    }

    /// One component, cut before its suffix where it is too long.
    private static func filled(_ part: String, event: String?, counter: Int, suffix: Int) -> String {
        var name = numbered(part, counter)
        if let event, name.unicodeScalars.contains(NameSlot.eventScalar) {
            name = name.replacing(NameSlot.event, with: SafeName.component(event))
        }
        // As nearly every name is: without a suffix, and too short to be cut.
        if suffix <= 1, name.utf8.count <= 255 {
            name.unicodeScalars.removeAll { $0 == NameSlot.suffixScalar }
            return SafeName.component(name)
        }
        let pieces = name.unicodeScalars.split(separator: NameSlot.suffixScalar, omittingEmptySubsequences: false).map {
            String($0)
        }
        let ending = suffix > 1 ? "-\(suffix)" : ""
        var whole = pieces.joined(separator: ending)
        let excess = whole.utf8.count - 255
        if excess > 0, pieces.count > 1 {
            let head = SafeName.shortened(pieces[0], to: max(1, pieces[0].utf8.count - excess))
            whole = ([head] + pieces.dropFirst()).joined(separator: ending)
        }
        return SafeName.component(whole)
    }

    /// Each run of places for digits is the number, as wide as the run; 0 leaves them open.
    private static func numbered(_ part: String, _ counter: Int) -> String {
        guard counter > 0, part.unicodeScalars.contains(NameSlot.counterScalar) else { return part }
        var result = "", width = 0
        func number() -> String {
            let digits = String(counter)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        for scalar in part.unicodeScalars {
            if scalar == NameSlot.counterScalar {
                width += 1
                continue
            }
            if width > 0 { (result, width) = (result + number(), 0) }
            result.unicodeScalars.append(scalar)
        }
        return width > 0 ? result + number() : result
    }
}

/// What a delivery is called, by its parts.
struct NameParts: Sendable, Hashable {
    var pattern: PathPattern
    /// 0 where the name has no number, or its event is not known yet.
    var counter = 0
    var suffix = 1
    /// What the name of its shot is remembered under.
    var shot: String
    /// The shot was given this name now: what comes later of it gets the same.
    var isGiven = false

    /// Value of `{counter}`, where there is one.
    var number: Int? { counter > 0 ? counter : nil }

    /// The path for `event`; nil while nobody has said which.
    func path(event: String?, suffix: Int? = nil) -> String {
        pattern.path(event: event, counter: counter, suffix: suffix ?? self.suffix)
    }

    /// What all files of the shot are called but for their extensions.
    func stem(event: String?, suffix: Int? = nil) -> String? {
        pattern.stem(event: event, counter: counter, suffix: suffix ?? self.suffix)
    }

    /// What the ledger keeps of the shot; nil where there is nothing that would not be chosen again.
    func shotName(base: String) -> ShotName? {
        isGiven && (counter > 0 || suffix > 1) ? ShotName(counter: counter, suffix: suffix, base: base) : nil
    }
}

extension NameParts {
    /// The name of a delivery that waits; where a row of an earlier version holds no parts, its path is taken for the
    /// whole of its name.
    init(_ row: DeliveryRow, of asset: Asset) {
        shot = NamePlanner.shotKey(asset)
        pattern = row.name.map { PathPattern($0.pattern) } ?? PathPattern(path: row.path, of: asset.shot)
        (counter, suffix) = (row.name?.counter ?? 0, row.name?.suffix ?? 1)
    }

    var row: DeliveryName { DeliveryName(pattern: pattern.text, counter: counter, suffix: suffix) }
}
