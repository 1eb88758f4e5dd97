/// Lays directories out as a TIFF file: the header, then each directory followed by what it points at.
struct TIFFFile {
    private var out: ByteWriter
    private var places: [Int] = []

    /// The bytes of a file whose main directories form the chain `directories`.
    static func bytes(_ directories: [TIFFDirectory], bigEndian: Bool, signature: RawSignature = .none) -> [UInt8] {
        var file = TIFFFile(out: ByteWriter(bigEndian: bigEndian))
        file.out.put(text: bigEndian ? "MM" : "II")
        file.out.put(UInt16(42))
        file.out.put(UInt32(8))
        if signature == .cr2 {
            file.out.patch(UInt32(16), at: 4)
            file.out.put(text: "CR")
            file.out.put([2, 0])
            file.out.put(UInt32(0))
        }
        file.chain(directories)
        if signature == .cr2, let last = file.places.last { file.out.patch(UInt32(last), at: 12) }
        return file.out.bytes
    }

    enum RawSignature { case none, cr2 }

    private init(out: ByteWriter) { self.out = out }

    private mutating func chain(_ directories: [TIFFDirectory]) {
        var link: Int?
        for directory in directories {
            if let link { out.patch(UInt32(out.count), at: link) }
            places.append(out.count)
            link = write(directory)
        }
    }

    /// Writes a directory and all that hangs on it; returns where its link to the next one stands.
    private mutating func write(_ directory: TIFFDirectory) -> Int {
        out.put(UInt16(directory.entries.count))
        let first = out.count
        for entry in directory.entries {
            out.put(entry.tag)
            out.put(entry.value.type)
            out.put(UInt32(entry.value.count))
            out.put(UInt32(0))
        }
        let link = out.count
        out.put(UInt32(0))
        for (index, entry) in directory.entries.enumerated() { fill(entry.value, slot: first + index * 12 + 8) }
        return link
    }

    /// Values of up to four bytes stand in the entry itself, others behind the directory.
    private mutating func fill(_ value: TIFFValue, slot: Int) {
        switch value {
        case .directories(let children): fill(children, slot: slot)
        case .blob(let bytes): store(bytes, slot: slot)
        default:
            var plain = ByteWriter(bigEndian: out.bigEndian)
            value.put(into: &plain)
            if plain.count > 4 {
                store(plain.bytes, slot: slot)
            } else {
                for (i, byte) in plain.bytes.enumerated() { out.patch(byte, at: slot + i) }
            }
        }
    }

    private mutating func store(_ bytes: [UInt8], slot: Int) {
        out.align(to: 2)
        out.patch(UInt32(out.count), at: slot)
        out.put(bytes)
        out.align(to: 2)
    }

    private mutating func fill(_ children: [TIFFDirectory], slot: Int) {
        var slot = slot
        if children.count > 1 {
            store([UInt8](repeating: 0, count: children.count * 4), slot: slot)
            slot = out.count - children.count * 4
        }
        for (index, child) in children.enumerated() {
            out.patch(UInt32(out.count), at: slot + index * 4)
            _ = write(child)
        }
    }
}

extension TIFFValue {
    fileprivate func put(into out: inout ByteWriter) {
        switch self {
        case .bytes(let values), .undefined(let values): out.put(values)
        case .ascii(let text):
            out.put(text: text)
            out.put(UInt8(0))
        case .short(let values): for value in values { out.put(value) }
        case .long(let values), .rational(let values): for value in values { out.put(value) }
        case .directories, .blob: break
        }
    }
}
