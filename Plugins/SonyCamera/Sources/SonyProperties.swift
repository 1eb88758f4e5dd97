import PTPKit

/// The answer to Sony's GetAllExtDevicePropInfo (0x9209): u32 count, u32 nothing, then a description of each property.
enum SonyProperties {
    static let objectInMemory: UInt16 = 0xD215

    /// The value of ObjectInMemory: the number of frames, with the highest bit set once the first can be read.
    ///
    /// 0 where it is not listed.
    static func framesInMemory(_ bytes: RawSpan) throws(PTPError) -> UInt64 {
        var cursor = ByteCursor()
        let count = try Int(cursor.take(UInt32.self, from: bytes))
        try cursor.skip(4, in: bytes)
        // The shortest description is six bytes of head, two values of one byte and the form.
        guard count <= cursor.remaining(in: bytes) / 9 else { throw .truncated(at: cursor.offset) }
        for _ in 0..<count {
            let code: UInt16 = try cursor.take(from: bytes)
            let type = DataType(try cursor.take(UInt16.self, from: bytes))
            try cursor.skip(2, in: bytes)
            _ = try cursor.value(type, from: bytes)
            let current = try cursor.value(type, from: bytes)
            if code == objectInMemory { return current.number ?? 0 }
            if case .choice = try cursor.form(type, lenient: false, from: bytes) {
                try secondList(type, &cursor, bytes)
            }
        }
        return 0
    }

    /// Bodies since 2024 put a second list of values behind the first; a number below 0x200 can be no property's code.
    private static func secondList(_ type: DataType, _ cursor: inout ByteCursor, _ bytes: RawSpan) throws(PTPError) {
        var ahead = cursor
        guard let count: UInt16 = try? ahead.take(from: bytes), count < 0x200 else { return }
        for _ in 0..<count { _ = try ahead.value(type, from: bytes) }
        cursor = ahead
    }
}
