import FilmgateCore
import HTTPKit
import Testing

@Suite struct StatusTests {
    func response(_ status: Int, _ headers: [(String, String)] = [], _ body: String = "") -> HTTPResponse {
        HTTPResponse(
            status: status, headers: headers.map { ($0.0, $0.1) }, body: Array(body.utf8),
            url: "https://gallery.example/api?secret=1")
    }

    @Test(arguments: [
        (400, IngestError.Code.rejected), (401, .unauthorized), (402, .storageFull), (403, .unauthorized),
        (404, .rejected), (405, .rejected), (407, .unauthorized), (408, .rateLimited), (409, .rejected),
        (413, .rejected), (415, .rejected), (425, .rateLimited), (429, .rateLimited), (500, .unavailable),
        (501, .rejected), (502, .unavailable), (503, .unavailable), (504, .unavailable), (505, .rejected),
        (507, .storageFull),
        (301, .untrusted), (308, .untrusted), (202, .rejected), (599, .unavailable),
    ])
    func statusMeans(_ status: Int, _ code: IngestError.Code) {
        let error = HTTPStatus.error(for: response(status))
        #expect(error.code == code)
        #expect(
            error.message.contains("gallery.example") && error.message.contains("\(status)")
                && !error.message.contains("secret"))
    }

    /// What a person can read of it, without brackets and quotes.
    @Test(arguments: [
        (#"{"status":"fail","data":{"file":"too small","line":7}}"#, "file: too small, status: fail"),
        (#"{"why":[["a"],"b"]}"#, "why: a, why: b"),
        (#"{"data":{"n":1}}"#, ""), (#""No""#, "No"),
    ])
    func aShapeThatNobodyKnowsIsShownAsWords(_ body: String, _ words: String) {
        #expect(ServerWords.of(response(422, [], body)) == words)
    }

    @Test func aPageIsNoAnswer() {
        let page = response(200, [("Content-Type", "Text/HTML; charset=utf-8")], "<p>Welcome")
        #expect(page.isPage && HTTPStatus.error(for: page).code == .untrusted)
        #expect(response(200, [("Content-Type", "text/html")], "\u{FEFF}\r\n<!doctype html>").isPage)
        for words in ["", "ok", "{}"] { #expect(!response(200, [("Content-Type", "text/html")], words).isPage) }
        #expect(!response(201, [("Content-Type", "text/html")], "<p>").isPage)
        #expect(!response(200, [("Content-Type", "application/json")], "<p>").isPage)
    }

    @Test(arguments: [
        "<!DOCTYPE html>", "<!doctype\n HTML PUBLIC>", "<html>", "<HTML lang=en>", "<head>", "<body onload=x>",
        "<script>", "<meta charset=x>", "<title>x", "\u{FEFF} \r\n<html", "<!-- x --><!---->\n<html>",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE html>",
        "<!-- without an end",
        "<!--><script>",
    ])
    func whatBeginsLikeHTMLIsAPage(_ text: String) {
        for type in [nil, "text/plain", "application/octet-stream", "application/json"] {
            let headers = type.map { [(name: "Content-Type", value: $0)] } ?? []
            #expect(HTTPResponse(status: 200, headers: headers, body: Array(text.utf8)).isPage)
            let units = Array(text.utf16)
            let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
            for bytes in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
                #expect(HTTPResponse(status: 200, headers: headers, body: bytes).isPage)
            }
            #expect(!HTTPResponse(status: 201, headers: headers, body: Array(text.utf8)).isPage)
        }
    }

    @Test func whatIsCalledHTMLIsAPageUnlessItSaysLittle() {
        func isPage(_ body: String, _ type: String = "text/html") -> Bool {
            response(200, [("Content-Type", type)], body).isPage
        }
        for body in [
            "Please sign in.", "Welcome <form>", "<x>", "<!-- x -->", "a\u{1}b", String(repeating: "a", count: 65),
        ] {
            #expect(isPage(body) && isPage(body, "application/xhtml+xml; charset=utf-8"))
        }
        for body in [" ok\n", "\u{FEFF}1", "[]", #"{"message": "all <b>well</b>"}"#, "\u{FEFF}", " \r\n"] {
            #expect(!isPage(body))
        }
    }

    @Test func whatCameCompressedMayBeAPage() {
        func isPage(_ type: String?, _ coding: String, _ body: String = "\u{1F}\u{8B}") -> Bool {
            response(200, [("Content-Encoding", coding)] + (type.map { [("Content-Type", $0)] } ?? []), body).isPage
        }
        #expect(isPage("text/html", "gzip") && isPage(nil, "br", "x") && isPage("text/html", "br", "x"))
        #expect(
            !isPage("application/json", "gzip") && !isPage("text/html", "identity", "ok")
                && !isPage("text/html", "gzip", ""))
    }

    @Test(arguments: [
        "", "OK", "{}", "[1]", "<?xml version=\"1.0\"?><CompleteMultipartUploadResult><ETag>x</ETag>",
        "<d:multistatus xmlns:d=\"DAV:\">", "<header>", "<html5>", "<?xml", "<!DOCTYPE svg>", "<titles/>", "<", "<!",
        "<Result><html></html></Result>", "1", "\u{0}",
    ])
    func whatServersAnswerIsNoPage(_ text: String) {
        for type in [nil, "text/plain", "application/xml", "application/json"] {
            #expect(!response(200, type.map { [("Content-Type", $0)] } ?? [], text).isPage)
        }
    }

    @Test func carriesTheServersWordsFromWhereverTheyStand() {
        let bodies = [
            #"{"error": {"code": 7, "message": "No such album"}}"#, #"{"errors": [{"detail": "No such album"}]}"#,
            #"{"message": "No such album"}"#,
            #"{"error_description": "No such album", "error": "x"}"#, "No such album",
            "  No\n such\talbum\u{0} ".replacing("\u{0}", with: ""),
            "<html><head><title>No such album</title></head></html>", #"["No such album"]"#,
        ]
        for body in bodies {
            #expect(HTTPStatus.error(for: response(404, [], body)).message.hasSuffix("It says: No such album"))
        }
    }

    @Test func wordsAreBoundedAndCannotForgeLines() {
        let error = HTTPStatus.error(
            for: response(400, [], String(repeating: "long ", count: 10_000) + "\u{1B}[31mred\n\u{202E}"))
        #expect(error.message.count < 400 && error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        let short = HTTPStatus.error(for: response(400, [], "\u{1B}[31mred\nnext\u{202E}line\u{0085}x"))
        #expect(short.message.hasSuffix("It says: [31mred next line x"))
    }

    @Test func binaryBodiesSayNothing() {
        let error = HTTPStatus.error(for: HTTPResponse(status: 400, body: [0, 1, 2, 0xFF, 0xD8], url: "https://h/"))
        #expect(error.message == "https://h answered 400.")
    }

    @Test(arguments: [
        ("120", 120), ("0", 0), ("86400", 900), ("99999999999999999999999", 900), ("Sun, 06 Nov 1994 08:50:07 GMT", 30),
        ("Sunday, 06-Nov-94 08:50:07 GMT", 30), ("Sun Nov  6 08:50:07 1994", 30), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
    ])
    func retryAfter(_ text: String, _ seconds: Int) {
        let answer = response(429, [("Retry-After", text), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")])
        #expect(HTTPStatus.error(for: answer).retryAfter == .seconds(seconds))
    }

    @Test(arguments: ["", "soon", "-5", "1.5", "120 s"]) func nonsenseIsNoRetryAfter(_ text: String) {
        #expect(HTTPStatus.error(for: response(503, [("Retry-After", text)])).retryAfter == nil)
    }
}

@Suite struct RedactorTests {
    @Test func takesTheCredentialOutInEveryForm() {
        let plain = HTTPRequest("GET", "https://h/a?x=1")
        var signed = plain
        signed.url = "https://h/a?x=1&sig=s1gnature%2B"
        signed.set("Authorization", "Basic " + Base64.text(of: Array("ann:p@ss word".utf8)))
        let redactor = Redactor(plain: plain, signed: signed)
        let header = signed.headers[0].value
        for text in [
            "p@ss word", Percent.encode("p@ss word"), Base64.text(of: Array("p@ss word".utf8)), header, "s1gnature%2B",
            "Basic",
        ] {
            let scrubbed = redactor.scrub("before \(text) after")
            #expect(scrubbed.hasPrefix("before ") && scrubbed.hasSuffix(" after"))
            #expect(text == "Basic" || !scrubbed.contains(text))
        }
        #expect(redactor.scrub("x=1 stays") == "x=1 stays")
        #expect(!"\(redactor)".contains("ann") && !String(reflecting: redactor).contains("p@ss"))
    }

    @Test func takesOutWhatLooksLikeAToken() {
        let redactor = Redactor()
        #expect(redactor.scrub("got Bearer abcdefgh123 ok") == "got Bearer ‹secret› ok")
        #expect(redactor.scrub("jwt=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln here") == "‹secret› here")
        #expect(redactor.scrub("A bearer was late") == "A bearer was late")
    }
}
