import FilmgateCore

/// The numbers and suffixes that shots are given in one pass over what waits.
///
/// Targets are asked about names in orders of their own, a gallery about the newest shot first: of two shots that wish
/// for one name, each target might give it to the other one. So they wish for different names, and for the same at all
/// targets.
struct NamesGiven {
    struct Entry {
        var mark: ShotIdentity, name: NameParts
        /// How far its suffix was moved in this pass.
        var moved = 0
    }
    /// What shots are called, by target, event and place of the shot.
    var shots: [String: [Entry]] = [:]

    private struct Holder { var mark: ShotIdentity, content: ContentKey, path: String }
    /// Who wishes for a name or has it, by target and by what the names of a shot begin with.
    private var holders: [String: [Holder]] = [:]
    private struct Called { var mark: ShotIdentity, base: String, suffix: Int }
    /// What shots are called, at whichever target, by their event and place.
    private var called: [String: [Called]] = [:]

    /// One file of a shot and its target.
    struct File {
        let mark: ShotIdentity, content: ContentKey, target: String, event: String?, isInTree: Bool
    }

    /// The suffix that the name should have instead: that of the shot at another target, and one that no other shot has
    /// here.
    func suffix(of name: NameParts, _ file: File) -> Int {
        guard !file.isInTree, !name.pattern.usesCounter, let base = Self.base(name, file.event) else {
            return name.suffix
        }
        let same = called[Self.place(name.shot, file.event)]?.first {
            $0.base == base && $0.mark.isOne(with: file.mark)
        }
        var suffix = max(name.suffix, same?.suffix ?? 1)
        while suffix < 9999, isTaken(name, suffix, file) { suffix += 1 }
        return suffix
    }

    private func isTaken(_ name: NameParts, _ suffix: Int, _ file: File) -> Bool {
        guard let stem = name.stem(event: file.event, suffix: suffix) else { return false }
        let path = SafeName.folded(name.path(event: file.event, suffix: suffix))
        return (holders[Self.key(stem, file.target)] ?? []).contains { other in
            if other.content == file.content || other.mark.isOne(with: file.mark) { return false }
            // A sidecar or memo lies beside its own picture alone; RAW and JPEG on two cards may be one frame.
            return other.path == path || other.mark.follows || file.mark.follows || other.mark.isOther(than: file.mark)
        }
    }

    /// Its file has that name from now on.
    mutating func note(_ name: NameParts, _ file: File) {
        guard !file.isInTree, !name.pattern.usesCounter, let stem = name.stem(event: file.event) else { return }
        let path = SafeName.folded(name.path(event: file.event))
        holders[Self.key(stem, file.target), default: []].append(
            Holder(mark: file.mark, content: file.content, path: path))
        guard let base = Self.base(name, file.event) else { return }
        note(base, name.suffix, file.mark, at: Self.place(name.shot, file.event))
    }

    /// A file of the shot lies at `path` already, with that suffix.
    mutating func note(done path: String, suffix: Int, _ shot: String, _ mark: ShotIdentity, event: String?) {
        var base = FileName(path.split(separator: "/").last.map { String($0) } ?? path).stem
        if suffix > 1, base.hasSuffix("-\(suffix)") { base = String(base.dropLast("-\(suffix)".count)) }
        note(SafeName.folded(base), suffix, mark, at: Self.place(shot, event))
    }

    private mutating func note(_ base: String, _ suffix: Int, _ mark: ShotIdentity, at place: String) {
        let isKnown = called[place]?.contains { $0.base == base && $0.mark.isOne(with: mark) } == true
        if !isKnown { called[place, default: []].append(Called(mark: mark, base: base, suffix: suffix)) }
    }

    /// What the file's own name begins with, without its folders and suffix.
    private static func base(_ name: NameParts, _ event: String?) -> String? {
        name.stem(event: event, suffix: 1).map {
            SafeName.folded($0.split(separator: "/").last.map { String($0) } ?? $0)
        }
    }

    private static func key(_ stem: String, _ target: String) -> String { target + "\u{1F}" + SafeName.folded(stem) }

    private static func place(_ shot: String, _ event: String?) -> String {
        (event ?? "") + "\u{1F}" + NamePlanner.shotPlace(shot)
    }
}
