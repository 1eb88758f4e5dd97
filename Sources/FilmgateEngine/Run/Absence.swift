import FilmgateCore

/// What is said of sources that find nothing.
enum Absence {
    /// A run that looked at nothing must not end as if all had been taken.
    static let nothingFound = IngestError(
        .notFound, "There is nothing to import: no source found a camera or a card.",
        advice: "filmgate cameras lists the cameras; with --wait 1m one that is switched on later is taken.")
    private static let advice =
        "Is the card in its reader and mounted? `lsblk -f` shows what is; desktops mount cards below /media or /run/media."

    /// For sources that look at these patterns only; nil without one.
    static func of(_ patterns: [String]) -> IngestError? {
        guard !patterns.isEmpty else { return nil }
        let missing = patterns.compactMap(literal), open = patterns.filter { literal($0) == nil }
        var parts: [String] = []
        if !open.isEmpty { parts.append("Nothing matches \(open.joined(separator: ", ")).") }
        if !missing.isEmpty {
            parts.append("\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") not there.")
        }
        return IngestError(.notFound, parts.joined(separator: " "), advice: advice)
    }

    /// For a run of all these sources.
    static func of(_ plan: Plan) -> IngestError {
        let all = plan.sources.indices.flatMap { plan.patterns[$0] ?? [] }
        guard let error = of(all) else { return nothingFound }
        if plan.patterns.count == plan.sources.count { return error }
        return IngestError(.notFound, "\(nothingFound.message) \(error.message)", advice: nothingFound.advice)
    }

    /// The option `paths` of a source when it holds patterns alone: a path that is written out is told by the source
    /// itself.
    static func patterns(_ node: ConfigNode) -> [String]? {
        guard case .list(let items)? = node["paths"]?.value else { return nil }
        let texts = items.compactMap { item -> String? in
            guard case .scalar(let text, _) = item.value, text.utf8.contains(where: isMark) else { return nil }
            return text
        }
        return texts.isEmpty || texts.count < items.count ? nil : texts
    }

    private static func isMark(_ byte: UInt8) -> Bool { byte == 0x2A || byte == 0x3F || byte == 0x5B }

    /// The path that a pattern stands for that matches nothing else, with its marks in brackets; nil for one that is
    /// open.
    private static func literal(_ pattern: String) -> String? {
        let marks = ["*", "?", "["]
        let rest = marks.reduce(pattern) { $0.replacing("[\($1)]", with: "") }
        return rest.utf8.contains(where: isMark) ? nil : marks.reduce(pattern) { $0.replacing("[\($1)]", with: $1) }
    }
}
