import FilmgateCore

extension XMPTree {
    /// Writes the stamp: what is said already stays unless it is to be replaced, keywords are added.
    func apply(_ stamp: Stamp) {
        put(XMPProperty.creator, stamp.creators, stamp)
        if put(XMPProperty.copyright, [stamp.copyright].compactMap { $0 }, stamp) {
            put(XMPProperty.marked, ["True"], stamp)
        }
        put(XMPProperty.caption, [stamp.caption].compactMap { $0 }, stamp)
        put(XMPProperty.event, [stamp.event].compactMap { $0 }, stamp)
        put(XMPProperty.created, [stamp.captured?.description].compactMap { $0 }, stamp)
        apply(stamp.mark)
        let known = values(XMPProperty.keywords), new = Keywords.missing(stamp.keywords, among: known)
        if !new.isEmpty { set(XMPProperty.keywords, known + new) }
    }

    /// True when it was written.
    @discardableResult private func put(_ name: XMLName, _ values: [String], _ stamp: Stamp) -> Bool {
        guard !values.isEmpty, stamp.replaces || self.values(name).isEmpty else { return false }
        set(name, values.map(Self.clean))
        return true
    }

    /// Without the characters that XML cannot hold.
    private static func clean(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars
        where scalar == "\n" || scalar == "\t" || scalar.value >= 0x20 && scalar.value & 0xFFFE != 0xFFFE {
            kept.append(scalar)
        }
        return String(kept)
    }
}

/// Keywords are the same when they differ in case only.
enum Keywords {
    static func missing(_ wanted: [String], among known: [String]) -> [String] {
        var seen = Set(known.map { $0.lowercased() })
        return wanted.filter { !$0.isEmpty && seen.insert($0.lowercased()).inserted }
    }
}

/// XMP sidecars.
public enum XMPSidecar {
    /// No sidecar that is larger is merged.
    public static let limit = XMLDocument.limit

    /// A new one.
    public static func made(_ stamp: Stamp) throws(StampFault) -> [UInt8] {
        let tree = try XMPTree.empty()
        tree.apply(stamp)
        return tree.packet(writable: true)
    }

    /// All that `sidecar` says, and the stamp.
    ///
    /// Throws what is not XMP, not well-formed or too large.
    public static func merged(_ sidecar: [UInt8], _ stamp: Stamp) throws(StampFault) -> [UInt8] {
        let tree = try XMPTree(sidecar)
        tree.apply(stamp)
        return tree.packet(writable: true)
    }
}
