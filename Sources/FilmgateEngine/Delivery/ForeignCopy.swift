/// A copy that a station delivered before, as the catalogue and the target say.
struct ForeignCopy: Sendable {
    var station: String
    /// What that station calls the copy, or the target's name.
    var place: String
    /// It was this station itself, whose ledger does not know of it.
    var isOwn = false

    /// What a file has for a twin that ends for that copy's sake.
    var twin: String { "\(station):\(place)" }
}
