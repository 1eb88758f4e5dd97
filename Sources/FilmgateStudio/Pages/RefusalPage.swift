import FilmgateCore

/// Pages for people who came to the wrong place.
enum RefusalPage {
    /// They turn the direction of text: with them a name is shown as another one.
    private static let turning: Set<Unicode.Scalar> = Set(
        [0x061C...0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069].joined().compactMap {
            Unicode.Scalar(UInt32($0))
        })

    /// Text as HTML shows it: nothing in it is obeyed.
    static func escaped(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": shown += "&amp;"
            case "<": shown += "&lt;"
            case ">": shown += "&gt;"
            case "\"": shown += "&quot;"
            case "'": shown += "&#39;"
            case let sign where sign.properties.generalCategory == .control || turning.contains(sign):
                shown += "\u{FFFD}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// `folder`: where style sheet and icon are; without it the browser's own.
    static func page(_ title: String, _ body: String, folder: String? = nil) -> String {
        let links = folder.map {
            "<link rel=\"icon\" type=\"image/svg+xml\" href=\"\(escaped($0))/icon.svg\"><link rel=\"stylesheet\" href=\"\(escaped($0))/style.css\">"
        }
        return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>\(escaped(title))</title>"
            + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\(links ?? "")</head><body class=\"plain\"><main><h1>\(escaped(title))</h1>\n\(body)\n</main></body></html>\n"
    }

    static func error(_ error: StudioError) -> String {
        page("Filmgate Studio", "<p>\(escaped(error.message))</p>\(error.advice.map { "<p>\(escaped($0))</p>" } ?? "")")
    }

    /// Asked for by a name that is not this page's.
    static func otherHost(_ host: String, _ place: ServedPlace, isEncrypted: Bool) -> String {
        let name = escaped(host), port = place.port
        let own = escaped("\(isEncrypted ? "https" : "http")://\(place.host):\(port)/")
        return page(
            "Filmgate Studio does not answer to this name",
            """
            <p>The browser asked for <code>\(name)</code>. This page answers to <code>127.0.0.1:\(port)</code>, <code>localhost:\(port)</code> \
            and the names that it was started with.</p>
            <p>Why: a page elsewhere can let its own name lead to this machine, and would then be allowed to read everything here. The name gives \
            it away.</p>
            <p>If the name is yours, start Filmgate Studio with <code>--name \(name)</code>. Otherwise open \
            <code>\(own)</code>.</p>
            """)
    }
}
