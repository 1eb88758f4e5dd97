import FilmgateCore

/// What a program's ending means, by the exit statuses of sysexits.h.
enum ExitSense {
    static func error(_ ending: Program.Ending, program: String) -> IngestError {
        let words = ending.errors.split(separator: "\n").last.map { String($0.prefix(200)) } ?? ""
        let said = words.isEmpty ? "" : " It says: \(words)"
        let (code, what): (IngestError.Code, String) =
            switch ending.status {
            case 75, 69: (.unavailable, "wants to be tried again (\(ending.status)).")
            case 77: (.unauthorized, "has no permission (77).")
            case 73, 28: (.storageFull, "has no room left (\(ending.status)).")
            case 78: (.unauthorized, "is not set up (78).")
            case 126, 127: (.unauthorized, "could not be started (\(ending.status)).")
            // As a shell counts them. Above are no signals: ssh and what builds on it end with 255.
            case 129...192: (.unavailable, "was ended by signal \(ending.status - 128).")
            default: (.rejected, "refused this file (\(ending.status)).")
            }
        return IngestError(code, "\(program) \(what)\(said)")
    }
}
