/// What the server can do, whoever asks.
///
/// It says yes only to what it does: a client that was promised another form of transfer would send one, and it would
/// be filed as a picture.
enum FTPFeatures {
    /// Nil where the command is about a session or a file.
    static func reply(to line: FTPCommand, offersTLS: Bool) -> String? {
        let words = words(of: line)
        let first = words.first ?? ""
        switch line.verb {
        case "FEAT": return features(offersTLS: offersTLS)
        case "SYST": return "215 UNIX Type: L8"
        case "NOOP", "CLNT": return "200 OK."
        case "ALLO", "ACCT": return "202 Not needed here."
        case "HELP": return "214 Accepts files by STOR and APPE; FEAT lists the features."
        case "OPTS": return option(words)
        case "MODE": return first == "S" ? "200 As a stream." : "504 MODE S only."
        case "STRU": return first == "F" ? "200 As files." : "504 STRU F only."
        case "SITE": return site(first)
        default: return nil
        }
    }

    /// The text of a reply in one line.
    static func line(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) })
    }

    /// Listings are text whatever is asked for; files are not.
    ///
    /// Nil for a type that there is none of here.
    static func type(_ words: [String]) -> (isText: Bool, reply: String)? {
        switch (words.first, words.dropFirst().first) {
        case ("I", _), ("L", "8"): (false, "200 Byte for byte.")
        case ("A", nil), ("A", "N"): (true, "200 For listings only; send TYPE I before files.")
        default: nil
        }
    }

    /// The words of a command's argument, in capitals.
    static func words(of line: FTPCommand) -> [String] {
        line.argument.uppercased().split(separator: " ").map(String.init)
    }

    private static func features(offersTLS: Bool) -> String {
        let tls = offersTLS ? "\r\n AUTH TLS\r\n PBSZ\r\n PROT" : ""
        let rest = " REST STREAM\r\n MLST type*;size*;modify*;\r\n EPSV\r\n EPRT"
        return "211-Features:\r\n UTF8\r\n SIZE\r\n MDTM\r\n\(rest)\(tls)\r\n211 End"
    }

    private static func option(_ words: [String]) -> String {
        switch words.first {
        case "UTF8", "UTF-8": words.dropFirst().first == "OFF" ? "504 Names are UTF-8." : "200 Names are UTF-8."
        case "MLST": "200 MLST OPTS type;size;modify;"
        default: "501 No such option."
        }
    }

    private static func site(_ what: String) -> String {
        switch what {
        case "CHMOD", "UMASK", "UTIME", "IDLE": "202 Not needed here."
        case "HELP", "": "214 No SITE commands are supported."
        default: "504 No such SITE command."
        }
    }
}
