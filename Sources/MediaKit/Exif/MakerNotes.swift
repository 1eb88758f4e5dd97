import FilmgateCore

/// Where maker notes stand; what they say is read by those who know the make.
enum MakerNotes {
    /// Larger notes hold previews and the like; tags stand at their beginning.
    static let limit: UInt64 = 64 << 20

    /// The note in the Exif directory of a TIFF structure.
    static func note(in tree: TIFFTree) -> MakerNote? {
        guard let entry = tree.exif?[Tag.makerNote] ?? tree.images.first?[Tag.makerNote],
            let place = tree.reader.place(of: entry)
        else {
            return nil
        }
        return note(at: place, in: tree.reader)
    }

    /// In DNG the note stands among the maker's private data: as it is, or behind a head that says where it stood
    /// before.
    static func privateNote(in tree: TIFFTree) -> MakerNote? {
        guard let entry = tree.images.first?[Tag.dngPrivateData], let place = tree.reader.place(of: entry) else {
            return nil
        }
        guard place.upTo(6).starts(with: "Adobe\0") else { return note(at: place, in: tree.reader) }
        var offset: UInt64 = 6
        for _ in 0..<32 {
            guard let head = place.bytes(offset, 8), let length = head.u32(4, .big) else { return nil }
            if head.starts(with: "MakN") { return moved(place, at: offset + 8, UInt64(length)) }
            offset += 8 + UInt64(length) + UInt64(length & 1)
        }
        return nil
    }

    /// Its offsets count from the beginning of a structure that is not there any more.
    private static func moved(_ place: ByteRegion, at offset: UInt64, _ length: UInt64) -> MakerNote? {
        guard length > 6, let head = place.bytes(offset, 6), let order = ByteOrder(mark: head),
            let was = head.u32(2, .big),
            let body = place.part(offset + 6, length - 6)
        else { return nil }
        let start = Int(was)
        return MakerNote(start: start, count: Int(body.count), isLittleEndian: order == .little) { offset, count in
            offset >= start ? body.bytes(UInt64(offset - start), count)?.array : nil
        }
    }

    /// A TIFF structure whose first directory is the note itself.
    static func note(standing region: ByteRegion) -> MakerNote? {
        guard let reader = TIFFReader(region), reader.first < region.count, let place = region.from(reader.first) else {
            return nil
        }
        return note(at: place, in: reader)
    }

    private static func note(at place: ByteRegion, in reader: TIFFReader) -> MakerNote? {
        let region = reader.region
        guard place.count > 0, place.count <= limit, place.start >= region.start,
            let start = Int(exactly: place.start - region.start)
        else {
            return nil
        }
        return MakerNote(start: start, count: Int(place.count), isLittleEndian: reader.order == .little) {
            offset, count in
            region.bytes(UInt64(offset), count)?.array
        }
    }
}

extension Findings {
    /// What the maker note of a structure says, where somebody knows the make; for want of better facts.
    mutating func takeMakerNote(of tree: TIFFTree) {
        let readers = noteReaders
        guard !readers.isEmpty else { return }
        if let note = MakerNotes.note(in: tree) { take(note, readers) }
        if facts.serial == nil, let note = MakerNotes.privateNote(in: tree) { take(note, readers) }
    }

    /// The same for a self-contained block.
    mutating func takeMakerNote(of block: ByteRegion) {
        guard !noteReaders.isEmpty, let reader = TIFFReader(block), let tree = TIFFTree(reader) else { return }
        takeMakerNote(of: tree)
    }

    /// The same for a structure that holds nothing but the note.
    mutating func takeMakerNote(standing region: ByteRegion) {
        if let note = MakerNotes.note(standing: region) { take(note, noteReaders) }
    }

    /// The same for a note without any structure around it.
    mutating func takeMakerNote(alone region: ByteRegion) {
        guard region.count <= MakerNotes.limit else { return }
        let note = MakerNote(start: 0, count: Int(region.count), isLittleEndian: true) { offset, count in
            region.bytes(UInt64(offset), count)?.array
        }
        take(note, noteReaders)
    }

    /// A file that names no make may be one of several's.
    private mutating func take(_ note: MakerNote, _ readers: [any MakerNoteReader]) {
        for reader in readers {
            let found = reader.facts(in: note, model: facts.model ?? "")
            if !found.isEmpty { return take(found) }
        }
    }

    private var noteReaders: [any MakerNoteReader] {
        let make = facts.make ?? ""
        return makers.filter { $0.reads(make: make) }
    }
}
