import FilmgateCore
import Testing

@Suite struct OriginTests {
    /// Ledgers keep it as text: it must stay what it was, to the byte.
    @Test(
        arguments: [
            ("V", "DCIM/100A/IMG_1.JPG", 0, 0, 0), ("", "", UInt64.max, Int64.min, Int64.max),
            ("1234-ABCD", "é/e\u{301}/\u{10FFFF}\u{10FF80}.JPG", 10, -1, 1_700_000_000_123_456_789),
        ] as [(String, String, UInt64, Int64, Int64)])
    func itsIdentityNamesEveryPart(_ volume: String, _ path: String, _ number: UInt64, _ first: Int64, _ second: Int64)
    {
        let origin = Origin(
            source: "card", volume: volume, root: "/r", path: "p", size: number, modified: first, born: second,
            inode: number, changed: first, volumePath: path)
        let parts = [volume, path, "\(number)", "\(first)", "\(second)", "\(number)", "\(first)"]
        #expect(origin.id.rawValue.utf8.elementsEqual(parts.joined(separator: "\u{1F}").utf8))
    }
}
