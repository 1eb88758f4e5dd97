import FilmgateCore
import HTTPKit
import Testing

@Suite struct AddressTests {
    @Test(arguments: [
        ("https://Gallery.Example/a?b=c#d", "https://gallery.example/a?b=c"), ("http://h:80/", "http://h/"),
        ("https://h:443", "https://h/"),
        ("http://h:8080/x/../y", "http://h:8080/y"), ("https:///x", "https://x/"),
        ("HTTPS://[::1]:8443/a", "https://[::1]:8443/a"),
    ])
    func isCanonical(_ text: String, _ canonical: String) { #expect(WebAddress(text)?.text == canonical) }

    @Test(arguments: [
        "", "gallery.example", "/path", "ftp://h/", "file:///etc/passwd", "https://user@h/", "https://u:p@h/",
        "https://h/a b", "https://h/a\r\nX: y", "https://h:0/", "https://h:99999/", "https://h\\@evil/", "https://",
    ])
    func refuses(_ text: String) { #expect(WebAddress(text) == nil) }

    @Test func readsLocationsAgainstTheirBase() {
        let base = "https://h:8443/a/b?c"
        #expect(WebAddress("/x", relativeTo: base)?.text == "https://h:8443/x")
        #expect(WebAddress("x?y", relativeTo: base)?.text == "https://h:8443/a/x?y")
        #expect(WebAddress("//evil.example/x", relativeTo: base)?.origin == "https://evil.example")
        #expect(WebAddress("http://h:8443/x", relativeTo: base)?.origin == "http://h:8443")
        #expect(WebAddress("javascript:alert(1)", relativeTo: base) == nil)
    }

    @Test(arguments: ["http://127.0.0.1/", "http://127.8.9.1:80/", "http://localhost:1/", "https://[::1]/"])
    func thisMachine(_ text: String) { #expect(WebAddress(text)?.isLoopback == true) }

    @Test(arguments: [
        "http://127.0.0.1.evil.example/", "http://128.0.0.1/", "http://localhost.evil.example/", "http://127.1/",
    ])
    func notThisMachine(_ text: String) throws {
        #expect(WebAddress(text)?.isLoopback != true || WebAddress(text)?.host == "127.0.0.1")
    }

    @Test func encodesNamesAsTheyLieOnDisk() {
        #expect(Percent.encode("a b/c%ä~") == "a%20b%2Fc%25%C3%A4~")
        // A name that is not UTF-8: the byte 0xE4 travels as U+10FFE4.
        #expect(Percent.encode("\u{10FFE4}.jpg") == "%E4.jpg")
        #expect(Percent.encode(path: "a b/c?d") == "a%20b/c%3Fd")
    }

    @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"]) func base64RoundTrips(_ text: String) {
        #expect(Base64.bytes(Base64.text(of: Array(text.utf8))) == Array(text.utf8))
    }

    @Test func base64IsTheStandardOne() {
        #expect(Base64.text(of: Array("fooba".utf8)) == "Zm9vYmE=")
        #expect(Base64.bytes("-_8") == [0xFB, 0xFF])
        #expect(Base64.bytes("a*b") == nil)
        #expect(Hex.bytes("00fF") == [0, 255] && Hex.bytes("0") == nil && Hex.bytes("zz") == nil)
    }
}

@Suite struct AddressTemplateTests {
    @Test func cutsBeforeTheFirstVariable() throws {
        let template = try #require(AddressTemplate("https://h/dav/photos/{event}/x-{name}?album={event}&x=1"))
        #expect(template.base == "https://h/dav/photos/")
        #expect(template.layout?.source == "{event}/x-{name}")
        let values = TemplateValues(text: ["event": "A&B/..", "name": "../é.jpg"])
        #expect(
            template.address(path: "Wedding 1/x-a.jpg", values)
                == "https://h/dav/photos/Wedding%201/x-a.jpg?album=A%26B%2F..&x=1")
        #expect(template.address(values) == "https://h/dav/photos/A%26B_/x-.._%C3%A9.jpg?album=A%26B%2F..&x=1")
    }

    @Test func withoutVariablesItIsOneAddress() throws {
        let template = try #require(AddressTemplate("https://h/api/assets?x=%20"))
        #expect(
            template.layout == nil
                && template.address(path: "ignored", TemplateValues()) == "https://h/api/assets?x=%20")
    }

    @Test func onlyTheQueryMayVary() throws {
        let template = try #require(AddressTemplate("https://h/up?name={name}"))
        #expect(template.base == "https://h/up" && template.layout == nil)
        #expect(template.address(TemplateValues(text: ["name": "a b"])) == "https://h/up?name=a%20b")
    }

    @Test(arguments: [
        "https://{event}.example/x", "https://h{name}", "{name}", "https://u:p@h/{name}", "https://h/{{name}}",
        "https://h/{nam}",
        "https://h/a#{name}", "https://h/{event}/%20/{name}", "h/{name}", "https://h:{size}/",
    ])
    func refuses(_ text: String) { #expect(AddressTemplate(text) == nil) }
}
