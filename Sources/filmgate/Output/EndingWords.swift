import FilmgateCore

extension Ending {
    /// For people; JSON has `rawValue`.
    var words: String {
        switch self {
        case .setAside: "set aside"
        case .alreadySeen: "already seen"
        case .pending, .delivered, .duplicate, .filtered: rawValue
        }
    }
}
