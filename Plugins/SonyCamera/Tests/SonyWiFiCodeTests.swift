import PTPKit
import Testing

@testable import SonyCamera

@Suite struct SonyWiFiCodeTests {
    @Test func theCodeGivesNetworkAndPassword() {
        let code = SonyWiFiCode.read("W01:S:AbC1;P:p4ss:word;C:ILCE-7M4;M:0A1B2C3D4E5F;")
        #expect(
            code
                == WiFiCode(
                    network: "DIRECT-AbC1:ILCE-7M4", password: "p4ss:word", model: "ILCE-7M4", device: "0A1B2C3D4E5F"))
        #expect(SonyWiFiCode.read("W01:S:DIRECT-xyz:ZV-1;P:secret;C:ZV-1;")?.network == "DIRECT-xyz:ZV-1")
    }

    /// A code is what somebody printed: nothing in it may be more than a word to the shell.
    @Test func theCommandThatJoinsTheNetworkQuotesWhatTheCodeSays() {
        let code = SonyWiFiCode.read("W01:S:AbC1;P:it's $(rm);C:ILCE-7M4;")
        #expect(code?.joining == #"nmcli device wifi connect 'DIRECT-AbC1:ILCE-7M4' password 'it'\''s $(rm)'"#)
    }

    @Test(arguments: [
        "", "W01:", "W01:S:a;", "W01:P:b;", "W01:S:;P:b;", "WIFI:S:a;P:b;", "w01:S:a;P:b;", "W01:;;;::;S",
        "W01:S:a;P:b;" + String(repeating: "x", count: 600),
    ])
    func otherTextsAreNoCode(_ text: String) { #expect(SonyWiFiCode.read(text) == nil) }
}
