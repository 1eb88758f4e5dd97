import FilmgateCore

/// Knows again what was taken before, from the listing alone, where its facts prove it: a known file is not opened
/// (``Evidence``).
struct Recognition: Sendable {
    let files: [KnownFile]
    private let hourShift: Bool
    /// Positions in `files` by a hash of path and size; of several with one hash the last, and each leads to the one
    /// before it.
    ///
    /// Tens of thousands of them are kept for as long as a card is read.
    private var last: [Int: Int32] = [:]
    private var before: [Int32] = []

    init(_ files: [KnownFile], hourShift: Bool) {
        (self.files, self.hourShift) = (files, hourShift)
        last.reserveCapacity(files.count)
        before.reserveCapacity(files.count)
        for (index, file) in files.enumerated() {
            before.append(last.updateValue(Int32(index), forKey: file.placeHash) ?? -1)
        }
    }

    /// The remembered file that this can only be; nil when there is none, or when the listing proves nothing.
    func find(_ origin: Origin) -> KnownFile? { position(of: origin).map { files[Int($0)] } }

    /// Where in `files` that file stands.
    ///
    /// One whose times are equal goes before one whose times moved by whole hours.
    func position(of origin: Origin) -> Int32? {
        let facts = origin.fingerprint
        if let exact = candidate(facts, hourShift: false) { return exact }
        return hourShift ? candidate(facts, hourShift: true) : nil
    }

    private func candidate(_ facts: Fingerprint, hourShift: Bool) -> Int32? {
        var index = last[KnownFile.placeHash(facts)] ?? -1
        while index >= 0 {
            if files[Int(index)].liesWhere(facts),
                Evidence.proves(facts, isSameAs: files[Int(index)].fingerprint, hourShift: hourShift)
            {
                return index
            }
            index = before[Int(index)]
        }
        return nil
    }
}
