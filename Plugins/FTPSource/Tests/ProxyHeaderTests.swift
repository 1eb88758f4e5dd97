import Testing

@testable import FTPKit

/// What a balancer says first, and what somebody says who is none.
@Suite struct ProxyHeaderTests {
    static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    static func binary(_ command: UInt8, _ family: UInt8, _ payload: [UInt8], length: Int? = nil) -> [UInt8] {
        let count = length ?? payload.count
        return signature + [command, family, UInt8(count >> 8), UInt8(count & 0xFF)] + payload
    }
    /// From `address` to 198.51.100.1.
    static func header(_ address: [UInt8], extra: [UInt8] = []) -> [UInt8] {
        binary(0x21, 0x11, address + [198, 51, 100, 1, 0xDC, 0x04, 0, 21] + extra)
    }

    @Test func aClientIsNamed() {
        let short = Self.header([192, 0, 2, 7]),
            long: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [9]
        #expect(ProxyHeader(short) == .whole(client: "192.0.2.7", length: 28))
        #expect(ProxyHeader(short + Array("USER ann\r\n".utf8)) == .whole(client: "192.0.2.7", length: 28))
        let extra = Self.header([192, 0, 2, 7], extra: [UInt8](repeating: 0xEE, count: 300))
        #expect(ProxyHeader(extra) == .whole(client: "192.0.2.7", length: 328))
        let six = Self.binary(0x21, 0x21, long + long + [0, 1, 0, 2])
        #expect(ProxyHeader(six) == .whole(client: "2001:db8::9", length: 52))
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 7]
        #expect(
            ProxyHeader(Self.binary(0x21, 0x21, mapped + long + [0, 1, 0, 2]))
                == .whole(client: "192.0.2.7", length: 52))
    }

    /// Health checks.
    @Test func aBalancerSpeaksForItself() {
        #expect(ProxyHeader(Self.binary(0x20, 0x00, [])) == .whole(client: nil, length: 16))
        #expect(ProxyHeader(Array("PROXY UNKNOWN\r\n".utf8)) == .whole(client: nil, length: 15))
    }

    @Test(arguments: [
        ("PROXY TCP4 192.0.2.7 198.51.100.1 56324 21\r\nUSER ann", "192.0.2.7", 44),
        ("PROXY TCP6 2001:db8::9 2001:DB8::1 1 65535\r\n", "2001:db8::9", 44),
    ]) func theFirstVersionIsALine(_ text: String, _ client: String, _ length: Int) {
        #expect(ProxyHeader(Array(text.utf8)) == .whole(client: client, length: length))
    }

    @Test(arguments: [
        "USER ann\r\n", "PROXY \r\n", "PROXY TCP4 192.0.2.7 198.51.100.1 56324\r\n",
        "PROXY TCP4 192.0.2.7  198.51.100.1 1 2\r\n",
        "PROXY TCP4 192.0.2.256 198.51.100.1 1 2\r\n", "PROXY TCP4 2001:db8::9 198.51.100.1 1 2\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 1 65536\r\n", "PROXY TCP4 192.0.2.7 198.51.100.1 1 2\n",
        "PROXY TCP5 192.0.2.7 198.51.100.1 1 2\r\n", "proxy TCP4 192.0.2.7 198.51.100.1 1 2\r\n", "\r\n\r\nUSER",
        "\u{0}",
        "PROXY TCP4 192.0.2.7 198.51.100.1 1 2 3\r\n", "PROXY TCP4 192.0.2.7%eth0 198.51.100.1 1 2\r\n",
    ]) func whatIsNoHeaderIsRefused(_ text: String) {
        #expect(ProxyHeader(Array(text.utf8)) == .invalid)
    }

    @Test func aHeaderThatDoesNotFitIsRefused() {
        // Another version, another command, no address, an address that is cut off, a socket's path, one that is too long.
        let address: [UInt8] = [192, 0, 2, 7, 198, 51, 100, 1, 0, 1, 0, 2]
        let wrong = [
            Self.binary(0x31, 0x11, address), Self.binary(0x22, 0x11, address), Self.binary(0x21, 0x00, address),
            Self.binary(0x21, 0x11, Array(address.dropLast())), Self.binary(0x21, 0x21, address),
            Self.binary(0x21, 0x31, [UInt8](repeating: 0x61, count: 216)), Self.binary(0x21, 0x12, address),
            Self.binary(0x21, 0x11, address, length: 0xFFFF),
        ]
        for one in wrong { #expect(ProxyHeader(one) == .invalid, "\(one)") }
        // Whoever never ends the line is not waited for.
        let endless = Array("PROXY TCP4 ".utf8) + [UInt8](repeating: 0x31, count: 200)
        for count in 11..<endless.count {
            #expect(ProxyHeader(Array(endless.prefix(count))) == (count < 107 ? .incomplete : .invalid))
        }
    }

    @Test func aBeginningIsWaitedFor() {
        for whole in [
            Self.header([192, 0, 2, 7], extra: [4, 0, 1, 0]), Array("PROXY TCP4 192.0.2.7 198.51.100.1 1 2\r\n".utf8),
        ] {
            for count in 0..<whole.count { #expect(ProxyHeader(Array(whole.prefix(count))) == .incomplete) }
            #expect(ProxyHeader(whole) == .whole(client: "192.0.2.7", length: whole.count))
        }
    }

    /// No bytes end the program, and none are believed beyond their end.
    @Test func anyBytesAreJudged() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var bytes = Self.header(
                [192, 0, 2, 7], extra: [UInt8](repeating: 1, count: Int.random(in: 0...9, using: &random)))
            if Bool.random(using: &random) { bytes = Array("PROXY TCP4 192.0.2.7 198.51.100.1 1 2\r\n".utf8) }
            for _ in 0...Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            if case .whole(_, let length) = ProxyHeader(bytes) { #expect((1...bytes.count).contains(length)) }
        }
    }

    @Test(arguments: [
        ("10.0.0.2", "10.0.0.2", true), ("10.0.0.2", "10.0.0.3", false), ("10.0.0.0/8", "10.255.1.2", true),
        ("10.0.0.0/8", "11.0.0.1", false), ("0.0.0.0/0", "192.0.2.7", true), ("0.0.0.0/0", "2001:db8::1", false),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false), ("::1", "::1", true),
        ("fe80::/10", "fe80::1%eth0", true), ("10.0.0.2", "", false), ("10.0.0.2", "ten", false),
        ("172.16.0.0/12", "172.31.0.1", true), ("172.16.0.0/12", "172.32.0.1", false),
    ]) func aRangeHasItsMachines(_ range: String, _ address: String, _ isInside: Bool) throws {
        #expect(try #require(PeerRange(range)).contains(address) == isInside)
    }

    @Test(arguments: [
        "", "10.0.0", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/-1", "ten", "2001:db8::1/32",
        "::/129", "10.0.0.0/8/8", "localhost",
    ]) func whatIsNoRangeIsNone(_ text: String) {
        #expect(PeerRange(text) == nil)
    }
}
