import Logging
import Testing

@testable import FilmgateCore

@Suite struct SecretTests {
    @Test(
        arguments: [
            ("${env:TOKEN}", .environment("TOKEN")), ("${file:/run/secrets/x}", .file("/run/secrets/x")),
            ("${file:~/a:b}", .file("~/a:b")), ("${credential:api}", .credential("api")),
            ("${store:studio-2}", .store("studio-2")), ("store", .store("")),
        ] as [(String, Secret.Reference)]) func references(_ text: String, _ reference: Secret.Reference) throws
    {
        let secret = try Secret(node: ConfigNode(.scalar(text, quoted: true)))
        #expect(secret.reference == reference)
        #expect(secret.shown == text)
    }

    @Test(arguments: [
        "", "hunter2", "$TOKEN", "${TOKEN}", "${env:}", "${env:A}B", "${env:A}${env:B}", "x${env:A}",
        "${file:relative}", "${credential:../x}", "${credential:..}", "${credential:.}", "${store:}", "${store:a/b}",
        "${store:..\u{20}}", "${exec:pass}", "Store", "${ENV:X}", "${}", "${", "${env:A\u{0}B}",
    ]) func everythingElseIsAnInlineSecretAndNeverRepeated(_ text: String) {
        let error = #expect(throws: ConfigError.self) { try Secret(node: ConfigNode(.scalar(text, quoted: false))) }
        #expect(error?.code == "inline-secret")
        if text.count > 3 { #expect(error?.message.contains(text) == false && error?.hint?.contains(text) == false) }
    }

    @Test func aProgramIsShownWithoutItsArguments() throws {
        let secret = try Secret(node: ConfigNode(.scalar("${exec:/usr/bin/pass show --token=x}", quoted: true)))
        #expect(secret.reference == .command(["/usr/bin/pass", "show", "--token=x"]))
        #expect(secret.shown == "${exec:/usr/bin/pass}")
    }

    @Test func theWordStoreMeansTheEntryItself() throws {
        struct Echo: SecretResolver {
            func resolve(_ secret: Secret) throws(IngestError) -> SecretValue { SecretValue(secret.shown ?? "") }
        }
        let context = ModuleContext(
            name: "studio", logger: Logger(label: "test"), state: "/tmp", lookup: Lookup(secrets: Echo()))
        #expect(try context.lookup.secrets.resolve(Secret(.store(""))).reveal() == "${store:studio}")
        #expect(try context.lookup.secrets.resolve(Secret(.store("other"))).reveal() == "${store:other}")
    }

    @Test func valuesHaveNoPrintedForm() {
        let value = SecretValue("hunter2")
        struct Holder { var name = "x", value: SecretValue }
        var dumped = ""
        dump(Holder(value: value), to: &dumped)
        for text in ["\(value)", String(describing: Holder(value: value)), String(reflecting: [value]), dumped] {
            #expect(!text.contains("hunter2"), "\(text)")
        }
        #expect(value.reveal() == "hunter2")
    }

    @Test func withoutAResolverThereAreNone() {
        let error = #expect(throws: IngestError.self) { try NoSecrets().resolve(Secret(.environment("X"))) }
        #expect(error?.code == .misconfigured)
        #expect(Secret().shown == nil)
    }
}
