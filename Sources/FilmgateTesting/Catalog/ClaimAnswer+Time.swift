public import FilmgateCore

extension ClaimAnswer {
    /// The same without the server's time, which differs each time.
    public var untimed: ClaimAnswer {
        switch self {
        case .held(let name, _): .held(by: name)
        case .unsure(let name, let isOwn, _): .unsure(by: name, isOwn: isOwn)
        default: self
        }
    }

    /// When it was claimed; nil where nobody says.
    public var time: Int64? {
        switch self {
        case .held(_, let time), .unsure(_, _, let time): time
        default: nil
        }
    }
}
