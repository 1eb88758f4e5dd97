import HTTPKit
import Testing

@Suite struct XMLReplyTests {
    func reply(_ text: String) -> XMLReply { XMLReply(Array(text.utf8)) }

    @Test func readsWhatServersSend() {
        let list = reply(
            """
             <?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>/a&amp;b</d:href></d:response>
            <D:response><D:href><![CDATA[/c]]></D:href><D:empty/></D:response></d:multistatus>
            """)
        #expect(list.isWhole && list.all("href") == ["/a&b", "/c"] && list.first("href") == "/a&b")
        #expect(list.pieces("response").map { $0.all("href") } == [["/a&b"], ["/c"]])
        #expect(list.pieces("multistatus").count == 1 && list.first("multistatus") != nil)
        #expect(list.first("empty") == nil && list.first("nothing") == nil && list.pieces("nothing").isEmpty)
    }

    /// What is left out may stand there all the same: only a whole list says that a name is free.
    @Test(arguments: ["<a><b>1</b>", "<a><b>1</b><b>2</a>", "<a><b>1</b>&x;</a>", "<a><b>1</b>\u{1}</a>"])
    func whatCameBeforeTheDamageIsThere(text: String) {
        #expect(reply(text).first("b") == "1" && !reply(text).isWhole && reply(text).pieces("a").isEmpty)
    }

    @Test(arguments: [
        "<!DOCTYPE html><html><Code>x</Code></html>",
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><Code>&e;</Code>", "", "no XML",
    ])
    func documentTypesAreEmpty(text: String) { #expect(reply(text).first("Code") == nil && !reply(text).isWhole) }

    @Test func numbersAndDepthAreBounded() {
        let many = "<a>" + String(repeating: "<b>1</b>", count: 250_000) + "</a>"
        #expect(!reply(many).isWhole && reply(many).all("b").count < 250_000)
        #expect(!reply(String(repeating: "<a>", count: 100_000)).isWhole)
    }
}
