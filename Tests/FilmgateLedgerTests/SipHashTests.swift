import Testing

@testable import FilmgateLedger

/// The numbers of the reference, for texts of the bytes 0, 1, 2 and so on.
@Suite struct SipHashTests {
    private static let key = SipKey(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)

    @Test(
        arguments: [
            0: 0x726F_DB47_DD0E_0E31, 1: 0x74F8_39C5_93DC_67FD, 8: 0x93F5_F579_9A93_2462, 15: 0xA129_CA61_49BE_45E5,
        ]
            as [Int: UInt64])
    func isTheReference(_ length: Int, _ hash: UInt64) {
        var own = SipHash(Self.key)
        for byte in 0..<length { own.add(byte: UInt8(byte)) }
        #expect(own.finish() == hash)
    }

    @Test func aWordIsEightBytes() {
        var words = SipHash(Self.key), bytes = SipHash(Self.key)
        words.add(0x0807_0605_0403_0201 as UInt64)
        for byte in 1...8 { bytes.add(byte: UInt8(byte)) }
        #expect(words.finish() == bytes.finish())
    }
}
