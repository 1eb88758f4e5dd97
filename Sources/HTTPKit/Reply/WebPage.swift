import FilmgateCore

extension HTTPResponse {
    /// What is or may be a page for people where a program asked: a network's or a provider's sign-in page, a site that
    /// has one page for every address.
    ///
    /// 200 alone: a server that has created something may well say so in HTML (201). What begins like HTML is a page by
    /// whatever type it goes; what is called HTML is one unless it is so short or so plain that only a program can be
    /// meant (`saysLittle`). What came compressed cannot be looked into, since compression is never asked for: there
    /// the type decides, and without one it may be a page.
    public var isPage: Bool {
        guard status == 200, !body.isEmpty else { return false }
        if PageStart.isSeen(in: body) { return true }
        let type = self[header: "Content-Type"]?.lowercased() ?? ""
        if type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") { return isCompressed || !saysLittle }
        return isCompressed && type.isEmpty
    }

    /// What came begins like HTML, whatever its type says; also where it was hashed and not kept.
    public var beginsAsPage: Bool { PageStart.isSeen(in: body.isEmpty ? opening : body) }

    private var isCompressed: Bool {
        self[header: "Content-Encoding"].map { !$0.isEmpty && $0.lowercased() != "identity" } ?? false
    }

    /// Nothing, JSON or a single word: frameworks call HTML whatever they are given, also `ok` and nothing at all.
    private var saysLittle: Bool {
        let text = PageStart.text(of: body).drop(while: PageStart.isBlank)
        let words = text.split(whereSeparator: { $0 <= 0x20 })
        guard let word = words.first else { return true }
        if json != nil { return true }
        return words.count == 1 && word.count <= 64 && word.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3C }
    }

    /// What such a page means: whoever answered is not who was asked, or was asked at the wrong address.
    var pageError: IngestError {
        let place = WebAddress(url)?.origin ?? "The server"
        return IngestError(
            .untrusted, "\(place) answers with a web page; that is no answer to what was asked.",
            advice:
                "On a network with a sign-in page, sign in there first; else check the address in the pipeline file.")
    }
}

/// How browsers know a page whose type says something else (WHATWG MIME Sniffing §7.1), without the elements that XML
/// may begin with, too.
private enum PageStart {
    private static let elements = [
        "<html", "<head", "<body", "<script", "<meta", "<title", "<style", "<iframe", "<frameset", "<noscript",
        "<center", "<h1",
    ].map { Array($0.utf8) }
    private static let doctype = Array("<!doctype".utf8), html = Array("html".utf8)
    private static let comment = Array("<!--".utf8), commentEnd = Array("-->".utf8)
    private static let declaration = Array("<?".utf8), declarationEnd = Array("?>".utf8)

    static func isSeen(in body: [UInt8]) -> Bool {
        var rest = text(of: body)[...]
        while true {
            rest = rest.drop(while: isBlank)
            if begins(rest, comment) {
                // `<!-->` is a whole comment to a browser; one without an end hides what would tell it from a page.
                guard let after = after(commentEnd, in: rest.dropFirst(2)) else { return true }
                rest = after
            } else if begins(rest, declaration) {
                guard let after = after(declarationEnd, in: rest) else { return false }
                rest = after
            } else {
                break
            }
        }
        if begins(rest, doctype) { return begins(rest.dropFirst(doctype.count).drop(while: isBlank), html) }
        return elements.contains { element in
            begins(rest, element) && rest.dropFirst(element.count).first.map(isPartOfName) != true
        }
    }

    /// The body with one byte to a character of ASCII, also where it is UTF-16.
    ///
    /// Of that, a byte order mark becomes a space and what else is no ASCII 0xFF.
    static func text(of body: [UInt8]) -> [UInt8] {
        guard body.count > 1 else { return body }
        let littleEndian: Bool
        switch (body[0], body[1]) {
        case (0xFF, 0xFE), (1..., 0): littleEndian = true
        case (0xFE, 0xFF), (0, 1...): littleEndian = false
        default: return body
        }
        let units = stride(from: 0, to: body.count - 1, by: 2).map { place in
            UInt16(body[littleEndian ? place + 1 : place]) << 8 | UInt16(body[littleEndian ? place : place + 1])
        }
        return units.map { $0 == 0xFEFF ? 0x20 : $0 < 0x80 ? UInt8($0) : 0xFF }
    }

    /// White space, and the bytes of UTF-8's byte order mark.
    static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0xEF || byte == 0xBB || byte == 0xBF }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        (0x30...0x3A).contains(byte) || byte == 0x2D || byte == 0x5F || (0x61...0x7A).contains(lower(byte))
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }

    private static func begins(_ text: ArraySlice<UInt8>, _ sign: [UInt8]) -> Bool {
        text.prefix(sign.count).lazy.map(lower).elementsEqual(sign)
    }

    /// What follows the first `sign`; nil where there is none.
    private static func after(_ sign: [UInt8], in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = text
        while rest.count >= sign.count {
            if rest.starts(with: sign) { return rest.dropFirst(sign.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}
