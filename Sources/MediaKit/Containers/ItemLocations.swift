/// An `iloc` box (ISO/IEC 14496-12 §8.11.3): where the items' bytes are.
struct ItemLocations {
    struct Place { let method: UInt16, offset: UInt64, length: UInt64 }

    private let bytes: Bytes
    private let version: UInt8
    private let offsetSize: Int, lengthSize: Int, baseSize: Int, indexSize: Int

    init(_ body: ByteRegion) {
        bytes = body.upTo(256 << 10)
        version = bytes[0] ?? 0
        let sizes = bytes.u16(4, .big) ?? 0
        (offsetSize, lengthSize, baseSize) = (Int(sizes >> 12), Int(sizes >> 8 & 0xF), Int(sizes >> 4 & 0xF))
        indexSize = version == 0 ? 0 : Int(sizes & 0xF)
    }

    /// The first extent of an item; nil when it is not listed or has several.
    func place(of item: UInt32) -> Place? {
        var found: Place?
        forEach { id, place, extents in
            guard id == item else { return true }
            found = extents == 1 ? place : nil
            return false
        }
        return found
    }

    /// Visits the items until `visit` returns false.
    ///
    /// Returns whether the list could be read as far as that.
    @discardableResult
    func forEach(_ visit: (_ id: UInt32, _ first: Place, _ extents: Int) -> Bool) -> Bool {
        let wide = version >= 2
        guard let count = wide ? bytes.u32(6, .big) : bytes.u16(6, .big).map(UInt32.init) else { return false }
        var at = wide ? 10 : 8
        for _ in 0..<min(count, 16_384) {
            guard let id = wide ? bytes.u32(at, .big) : bytes.u16(at, .big).map(UInt32.init) else { return false }
            at += wide ? 4 : 2
            let method = version == 0 ? 0 : (bytes.u16(at, .big) ?? 0) & 0xF
            at += (version == 0 ? 0 : 2) + 2
            guard let base = number(at, baseSize), let extents = bytes.u16(at + baseSize, .big) else { return false }
            at += baseSize + 2
            let step = indexSize + offsetSize + lengthSize
            guard let offset = number(at + indexSize, offsetSize),
                let length = number(at + indexSize + offsetSize, lengthSize)
            else {
                if extents == 0 { continue }
                return false
            }
            let (start, overflow) = base.addingReportingOverflow(offset)
            if !visit(id, Place(method: method, offset: overflow ? .max : start, length: length), Int(extents)) {
                return true
            }
            at += Int(extents) * step
        }
        return true
    }

    private func number(_ offset: Int, _ size: Int) -> UInt64? {
        switch size {
        case 0: 0
        case 4: bytes.u32(offset, .big).map(UInt64.init)
        case 8: bytes.u64(offset, .big)
        default: nil
        }
    }
}
