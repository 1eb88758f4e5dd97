import FilmgateCore
import Testing

/// What a studio's program or service answers, whatever it is.
@Suite struct LoginAnswerTests {
    private func answer(_ text: String) throws(IngestError) -> LoginAnswer {
        try LoginAnswer(Array(text.utf8), at: 1_000)
    }

    @Test(arguments: [
        (#"{"ok": false}"#, LoginAnswer.refused), (#"{"ok": true}"#, .granted(LoginGrant())),
        (#"{"ok": false, "event": 7, "folder": "../.."}"#, .refused),
        (
            #"{"ok": true, "folder": "bodies/ann", "event": "smith"}"#,
            .granted(LoginGrant(folder: "bodies/ann", event: "smith"))
        ),
        (#"{"ok": true, "folder": null, "event": "", "expires_in": null}"#, .granted(LoginGrant())),
        (#"{"ok": true, "event": 4711, "expires_in": 60}"#, .granted(LoginGrant(event: "4711", expires: 1_060))),
        (#"{"ok": true, "expires_at": 1030, "expires_in": 60}"#, .granted(LoginGrant(expires: 1_030))),
        (#"{"ok": true, "more": [1, 2]}"# + "\n", .granted(LoginGrant())),
    ]) func whatIsSaidIsTaken(_ text: String, _ wanted: LoginAnswer) throws {
        #expect(try answer(text) == wanted)
    }

    @Test(arguments: [
        "", "yes", "{}", "[true]", #"{"ok": 1}"#, #"{"ok": "true"}"#, #"{"ok": true"#, "<html>ok</html>",
        #"{"ok": true, "event": {"name": "smith"}}"#, #"{"ok": true, "event": ["smith"]}"#,
        #"{"ok": true, "folder": "a\u0000b"}"#, #"{"ok": true, "event": "a\nb"}"#,
        #"{"ok": true, "event": "a\u009bb"}"#,
        #"{"ok": true, "event": "\#(String(repeating: "x", count: 201))"}"#,
        #"{"ok": true, "expires_in": "soon"}"#, #"{"ok": true, "expires_in": -1}"#,
        #"{"ok": true, "expires_in": 1e99}"#,
        #"{"ok": true, "expires_in": 9223372036854775807}"#, #"{"ok": true, "expires_at": -5}"#,
        #"{"ok": true, "expires_at": 0.5}"#, String(repeating: "[", count: 10_000),
    ]) func whatMakesNoSenseIsNoAnswer(_ text: String) {
        #expect(throws: IngestError.self) { try answer(text) }
    }

    @Test func theQuestionIsOneLineWhateverIsTypedIn() {
        let typed = "a\"b\\c\r\nd\u{0}\u{2028}é",
            question = LoginQuestion(
                user: typed, password: SecretValue(typed + "2"), address: "192.0.2.7")
        #expect(question.body.filter { $0 == 0x0A }.count == 1 && question.body.last == 0x0A)
        let json = JSONValue(question.body)
        #expect(json?["user"]?.string == typed && json?["password"]?.string == typed + "2")
        #expect(json?["address"]?.string == "192.0.2.7" && json?["action"]?.string == "login")
    }
}
