public import FilmgateCore

/// What comes of looking for a file at one target where another station says to have delivered it.
enum StationLook: Sendable {
    struct Copy: Sendable {
        /// As if this station had delivered it.
        var row: DeliveryRow
        /// Who said that it is there.
        var station: String
    }
    /// Asked or read now, it has these bytes.
    case proven(Copy)
    case unproven(CardProof.Verdict)

    /// Nil where no station says that it is there.
    typealias Search = @Sendable (PlannedTarget, _ event: String?) async throws(IngestError) -> StationLook?
}

extension CardProof.Finding {
    mutating func note(_ copy: StationLook.Copy) {
        if !stations.contains(copy.station) { stations.append(copy.station) }
        if !asked.contains(copy.row.targetName) { asked.append(copy.row.targetName) }
        note(read: copy.row)
    }

    /// Nothing of a copy at a target elsewhere.
    mutating func note(read row: DeliveryRow) {
        if let path = row.receipt.path, !copies.contains(path) { copies.append(path) }
    }
}

/// A file of a card and what was found of it, for whoever looks a second time.
public struct ExaminedFile: Sendable {
    let entry: SourceEntry, path: String?, beside: [String]
    public var finding: CardProof.Finding

    /// As it was given to ``CardProof/examine(_:at:beside:)``.
    public init(_ entry: SourceEntry, at path: String?, beside: [String], finding: CardProof.Finding) {
        (self.entry, self.path, self.beside, self.finding) = (entry, path, beside, finding)
    }
}
