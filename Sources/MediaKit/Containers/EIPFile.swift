/// EIP: a ZIP archive, nothing compressed, of a TIFF-based RAW file and its settings.
enum EIPFile {
    private static let local: [UInt8] = [0x50, 0x4B, 0x03, 0x04]

    /// The first entry's name tells it from other archives.
    static func format(of head: Bytes) -> FileFormat? {
        guard head.starts(with: local), let length = head.u16(26, .little), let name = head.part(30, Int(length)) else {
            return nil
        }
        return isRAW(name) ? .eip : nil
    }

    private static func isRAW(_ name: Bytes) -> Bool {
        let ext = Array(name.from(name.count - 4).array)
        return ext.count == 4 && [".IIQ", ".TIF"].contains { ext.elementsEqual($0.utf8) }
    }

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        guard let head = file.bytes(0, 30), head.u16(8, .little) == 0, let size = head.u32(18, .little),
            let name = head.u16(26, .little), let extra = head.u16(28, .little),
            let content = file.part(30 + UInt64(name) + UInt64(extra), UInt64(size))
        else { return }
        TIFFFile.locate(in: content, into: &findings)
    }
}
