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
            // ssh and what builds on it say so of a line that is down.
            case 255: (.unavailable, "could not connect, or failed (255).")
            // As a shell counts them; above are no signals.
            case 129...192: (.unavailable, "was ended by signal \(ending.status - 128).")
            default: (.rejected, "refused this file (\(ending.status)).")
            }
        return IngestError(code, "\(program) \(what)\(said)")
    }
}
