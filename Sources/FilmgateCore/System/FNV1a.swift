/// FNV-1a, 64 bits: tells values apart that nobody has a reason to forge; proves nothing.
///
/// Source: draft-eastlake-fnv, section 2.
public enum FNV1a {
    public static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
