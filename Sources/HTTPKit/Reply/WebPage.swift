import FilmgateCore

extension HTTPResponse {
    /// A page for people where a program asked: a network's or a provider's sign-in page, a site that has one page for every address.
    ///
    /// 200 alone: a server that has created something may well say so in HTML (201). The type alone says little: frameworks give it to
    /// `ok` and to nothing at all.
    public var isPage: Bool {
        guard status == 200, let type = self[header: "Content-Type"]?.lowercased() else { return false }
        guard type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") else { return false }
        return body.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) } == 0x3C
    }

    /// What such a page means: whoever answered is not who was asked, or was asked at the wrong address.
    var pageError: IngestError {
        let place = WebAddress(url)?.origin ?? "The server"
        return IngestError(
            .untrusted, "\(place) answers with a web page; that is no answer to what was asked.",
            advice: "On a network with a sign-in page, sign in there first; else check the address in the pipeline file.")
    }
}
