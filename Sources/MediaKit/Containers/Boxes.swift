/// A box of ISO/IEC 14496-12, which QuickTime calls an atom.
struct Box {
    let type: FourCC
    /// Without the header; for `uuid` boxes without the UUID.
    let body: ByteRegion
    /// The first 8 bytes of a `uuid` box's UUID, enough to tell those that are known.
    let uuid: UInt64
    /// Where the next box begins; the parent's end when this one claims more.
    let end: UInt64
    /// The box says that it is larger than what is there.
    let overruns: Bool

    static let countLimit = 1024

    /// The box at `place`; nil when there is no header or its size makes no sense.
    init?(in parent: ByteRegion, at place: UInt64) {
        guard let head = parent.bytes(place, 8), let short = head.u32(0, .big), let type = FourCC(head, at: 4) else {
            return nil
        }
        var header: UInt64 = 8, size = UInt64(short)
        if short == 1 {
            guard let long = parent.u64(place + 8, .big) else { return nil }
            (header, size) = (16, long)
        } else if short == 0 {
            size = parent.count - place
        }
        guard size >= header else { return nil }
        overruns = size > parent.count - place
        size = min(size, parent.count - place)
        var uuid: UInt64 = 0
        if type == "uuid", size >= header + 16, let first = parent.u64(place + header, .big) {
            uuid = first
            header += 16
        }
        guard let body = parent.part(place + header, size - header) else { return nil }
        (self.type, self.body, self.uuid, end) = (type, body, uuid, place + size)
    }

    /// All boxes in `parent`, in order, until something is no box.
    static func all(in parent: ByteRegion, from start: UInt64 = 0) -> [Box] {
        var boxes: [Box] = [], place = start
        while boxes.count < countLimit, let box = Box(in: parent, at: place) {
            boxes.append(box)
            guard box.end > place else { break }
            place = box.end
        }
        return boxes
    }

    func children(from start: UInt64 = 0) -> [Box] { Box.all(in: body, from: start) }
}

extension [Box] {
    subscript(_ type: FourCC) -> Box? { first { $0.type == type } }
}
