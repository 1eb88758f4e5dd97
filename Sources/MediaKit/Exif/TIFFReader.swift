/// A TIFF structure anywhere in a file, read directory by directory.
///
/// Ours, because libexif knows neither directories behind the first 64 KiB, nor SubIFDs, nor BigTIFF, nor the other
/// magic numbers of TIFF-based RAW.
struct TIFFReader {
    let region: ByteRegion
    let order: ByteOrder
    let magic: UInt16
    let first: UInt64

    static let bigMagic: UInt16 = 43
    static let entryLimit = 2048, valueLimit = 64 << 10

    var isBig: Bool { magic == Self.bigMagic }

    init?(_ region: ByteRegion) {
        guard let head = region.bytes(0, 8), let order = ByteOrder(mark: head), let magic = head.u16(2, order),
            let offset = head.u32(4, order)
        else { return nil }
        (self.region, self.order, self.magic) = (region, order, magic)
        guard magic == Self.bigMagic else { first = UInt64(offset); return }
        guard head.u16(4, order) == 8, let far = region.u64(8, order) else { return nil }
        first = far
    }

    /// A structure without header, its first directory at the beginning of `region`.
    init(headless region: ByteRegion, _ order: ByteOrder) {
        (self.region, self.order, magic, first) = (region, order, 42, 0)
    }

    struct Entry {
        let tag: UInt16, format: UInt16
        let count: UInt64
        /// Where the value or its offset stands.
        let field: UInt64
    }

    struct Directory {
        let entries: [Entry]
        /// 0 = none.
        let next: UInt64

        /// Directories are short and nearly always sorted; the first of several entries with one tag counts.
        subscript(_ tag: UInt16) -> Entry? { entries.first { $0.tag == tag } }
    }

    /// Nil when it does not lie inside the region or claims an absurd number of entries.
    func directory(at offset: UInt64) -> Directory? {
        let countSize: UInt64 = isBig ? 8 : 2, entrySize: UInt64 = isBig ? 20 : 12
        guard let count = isBig ? region.u64(offset, order) : region.u16(offset, order).map(UInt64.init),
            count <= UInt64(Self.entryLimit),
            let bytes = region.bytes(offset + countSize, Int(count * entrySize))
        else { return nil }
        var entries: [Entry] = []
        entries.reserveCapacity(Int(count))
        for index in 0..<Int(count) {
            let place = index * Int(entrySize)
            guard let tag = bytes.u16(place, order), let format = bytes.u16(place + 2, order),
                let amount = isBig ? bytes.u64(place + 4, order) : bytes.u32(place + 4, order).map(UInt64.init)
            else { return nil }
            entries.append(
                Entry(
                    tag: tag, format: format, count: amount,
                    field: offset + countSize + UInt64(place) + (isBig ? 12 : 8)))
        }
        let end = offset + countSize + count * entrySize
        let next = isBig ? region.u64(end, order) : region.u32(end, order).map(UInt64.init)
        return Directory(entries: entries, next: next ?? 0)
    }

    /// Where the value's bytes lie; nil when not inside the region.
    func place(of entry: Entry) -> ByteRegion? {
        guard let format = TagFormat(rawValue: entry.format) else { return nil }
        let (length, overflow) = entry.count.multipliedReportingOverflow(by: UInt64(format.size))
        guard !overflow else { return nil }
        if length <= (isBig ? 8 : 4) { return region.part(entry.field, length) }
        guard let offset = isBig ? region.u64(entry.field, order) : region.u32(entry.field, order).map(UInt64.init)
        else { return nil }
        return region.part(offset, length)
    }

    /// The value; nil when it lies outside or is longer than 64 KiB.
    func value(of entry: Entry) -> TagValue? {
        guard let place = place(of: entry), place.count <= UInt64(Self.valueLimit),
            let bytes = place.bytes(0, Int(place.count))
        else {
            return nil
        }
        return TagValue(format: entry.format, count: Int(entry.count), bytes: bytes, order: order)
    }

    /// The whole number in `tag`, first of its list.
    func integer(_ tag: UInt16, in directory: Directory) -> UInt64? {
        directory[tag].flatMap { value(of: $0) }?.integer().flatMap { UInt64(exactly: $0) }
    }
}
