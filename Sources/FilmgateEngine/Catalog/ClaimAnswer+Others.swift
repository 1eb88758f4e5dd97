import FilmgateCore

extension ClaimAnswer {
    /// Another station has it for certain, or has delivered it.
    var isAnothers: Bool {
        switch self {
        case .held, .done: true
        default: false
        }
    }
}
