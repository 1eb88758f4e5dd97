/// Builds TIFF structures for tests: directories with values behind them.
struct TIFFBuilder {
    enum Value {
        case text(String), short([Int]), long([Int]), rational([(Int, Int)]), bytes([UInt8])
        /// The offset of the directory with that index.
        case directory(Int), directories([Int])
    }
    var order = Endian.little
    var magic = 42
    /// Each directory's entries; the first is the file's first.
    var folders: [[(tag: UInt16, value: Value)]] = []
    /// Follows the directory with that index: the chain.
    var next: [Int: Int] = [:]
    /// Bytes between header and first directory.
    var gap = 0

    private func encoded(_ value: Value, _ offsets: [Int]) -> (format: Int, count: Int, bytes: [UInt8]) {
        switch value {
        case .text(let text): (2, text.utf8.count + 1, ascii(text) ++ [0])
        case .short(let numbers): (3, numbers.count, numbers.flatMap { pack(UInt64($0), 2, order) })
        case .long(let numbers): (4, numbers.count, numbers.flatMap { pack(UInt64($0), 4, order) })
        case .rational(let list):
            (5, list.count, list.flatMap { pack(UInt64($0.0), 4, order) ++ pack(UInt64($0.1), 4, order) })
        case .bytes(let bytes): (7, bytes.count, bytes)
        case .directory(let index): (4, 1, pack(UInt64(offsets[index]), 4, order))
        case .directories(let list): (4, list.count, list.flatMap { pack(UInt64(offsets[$0]), 4, order) })
        }
    }

    func build() -> [UInt8] {
        var offsets: [Int] = [], place = 8 + gap
        for folder in folders {
            offsets.append(place)
            let values = folder.map { encoded($0.value, [Int](repeating: 0, count: folders.count)).bytes.count }.filter
            { $0 > 4 }
            place += 2 + folder.count * 12 + 4 + values.map { $0 + $0 % 2 }.reduce(0, +)
        }
        var bytes =
            (order == .little ? ascii("II") : ascii("MM")) ++ pack(UInt64(magic), 2, order)
            ++ pack(UInt64(offsets[0]), 4, order)
        bytes += zeros(gap)
        for (index, folder) in folders.enumerated() {
            var values: [UInt8] = []
            let start = offsets[index] + 2 + folder.count * 12 + 4
            bytes += pack(UInt64(folder.count), 2, order)
            for (tag, value) in folder {
                let (format, count, data) = encoded(value, offsets)
                bytes += pack(UInt64(tag), 2, order) ++ pack(UInt64(format), 2, order) ++ pack(UInt64(count), 4, order)
                if data.count <= 4 {
                    bytes += data ++ zeros(4 - data.count)
                } else {
                    bytes += pack(UInt64(start + values.count), 4, order)
                    values += data ++ zeros(data.count % 2)
                }
            }
            bytes += pack(UInt64(next[index].map { offsets[$0] } ?? 0), 4, order) ++ values
        }
        return bytes
    }

    /// A full block as cameras write it: directory, Exif and GPS.
    static func camera(
        _ order: Endian = .little, make: String = "Acme", magic: Int = 42, gap: Int = 0, note: [UInt8] = []
    ) -> TIFFBuilder {
        TIFFBuilder(
            order: order, magic: magic,
            folders: [
                [
                    (0x010F, .text("\(make)  ")), (0x0110, .text("A-1")), (0x0112, .short([6])),
                    (0x0132, .text("2026:05:02 00:00:00")), (0x013B, .text("Ann")), (0x4746, .short([3])),
                    (0x8769, .directory(1)), (0x8825, .directory(2)),
                ],
                [
                    (0x829A, .rational([(1, 250)])), (0x829D, .rational([(28, 10)])), (0x8827, .short([400])),
                    (0x9003, .text("2026:05:01 12:30:05")), (0x9011, .text("+02:00")),
                    (0x920A, .rational([(50, 1)])), (0x927C, .bytes(note)), (0x9291, .text("25")),
                    (0xA002, .short([6000])), (0xA003, .short([4000])), (0xA430, .text("Owner")),
                    (0xA431, .text("0012345")), (0xA434, .text("50mm F1.8")), (0xA435, .text("L77")),
                ],
                [
                    (1, .text("N")), (2, .rational([(59, 1), (54, 1), (36, 1)])), (3, .text("W")),
                    (4, .rational([(10, 1), (45, 1), (0, 1)])),
                    (5, .bytes([1])), (6, .rational([(25, 2)])),
                ],
            ], gap: gap)
    }
}
