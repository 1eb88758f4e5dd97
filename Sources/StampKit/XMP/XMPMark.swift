import FilmgateCore

/// Marks as programs for photographers read them: rating and label by Adobe's names, picks and colours also by those of
/// two contact sheets.
extension XMPTree {
    /// What people said replaces what the file says; what nobody said stays as it is.
    func apply(_ mark: PictureMark) {
        if mark.rating != nil || mark.pick != nil { apply(rating: mark) }
        if let pick = mark.pick {
            set(XMPProperty.tagged, [pick == .picked ? "True" : "False"])
            set(XMPProperty.pickLabel, [Self.pickLabel(pick)])
        }
        if let colour = mark.colour {
            set(XMPProperty.label, [MarkColour.name(colour)].compactMap { $0 })
            set(XMPProperty.colorClass, [String(colour)])
            set(XMPProperty.colorLabel, [String(Self.colorLabel(colour))])
        }
        // The program that writes it reads all three from here first.
        let tagged = values(XMPProperty.tagged).first, color = values(XMPProperty.colorClass).first
        if !mark.isEmpty {
            let stars = values(XMPProperty.rating).first.flatMap { Int($0) } ?? 0
            set(XMPProperty.prefs, ["\(tagged == "True" ? 1 : 0):\(color ?? "0"):\(max(0, stars)):\(frame)"])
        }
    }

    /// A rejected picture has the rating -1.
    private func apply(rating mark: PictureMark) {
        let known = values(XMPProperty.rating).first.flatMap { Int($0) }
        if mark.pick == .rejected { return set(XMPProperty.rating, ["-1"]) }
        if let rating = mark.rating { return set(XMPProperty.rating, [String(rating)]) }
        if known == -1 { remove(XMPProperty.rating) }
    }

    /// The frame's number there, which is none of ours.
    private var frame: String {
        let parts = values(XMPProperty.prefs).first?.split(separator: ":") ?? []
        return parts.count == 4 ? String(parts[3]) : "-00001"
    }

    private static func pickLabel(_ pick: PictureMark.Pick) -> String {
        switch pick {
        case .none: "0"
        case .rejected: "1"
        case .picked: "3"
        }
    }

    /// Of 0…8 here the number of the nearest colour there.
    private static func colorLabel(_ colour: Int) -> Int {
        let labels = [0, 6, 1, 2, 3, 4, 5, 5, 7]
        return labels.indices.contains(colour) ? labels[colour] : 0
    }
}
