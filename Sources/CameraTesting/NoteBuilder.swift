public import FilmgateCore

/// Builds maker notes for tests, and proves that a reader survives damaged ones.
public struct NoteBuilder {
    public enum Value: Sendable {
        case text(String), bytes([UInt8]), short([Int]), long([Int]), fraction([(Int, Int)])
        /// A directory of its own.
        case folder([(tag: Int, value: Value)])
    }
    public var isLittleEndian: Bool
    /// What stands before the directory.
    public var head: [UInt8]
    /// What offsets count from, from the note's beginning.
    public var base: Int

    public init(head: String = "", base: Int = 0, isLittleEndian: Bool = true) {
        (self.head, self.base, self.isLittleEndian) = (Array(head.utf8), base, isLittleEndian)
    }

    public func build(_ entries: [(tag: Int, value: Value)]) -> [UInt8] { head + directory(entries, at: head.count) }

    public func number(_ value: Int, _ width: Int) -> [UInt8] {
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isLittleEndian ? bytes : bytes.reversed()
    }

    private func directory(_ entries: [(tag: Int, value: Value)], at place: Int) -> [UInt8] {
        var table = number(entries.count, 2), values: [UInt8] = []
        let start = place + 2 + 12 * entries.count + 4
        for (tag, value) in entries {
            let (format, count, bytes) = encoded(value, at: start + values.count)
            table += number(tag, 2) + number(format, 2) + number(count, 4)
            if case .folder = value {
                table += number(start + values.count - base, 4)
            } else if bytes.count <= 4 {
                table += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
                continue
            } else {
                table += number(start + values.count - base, 4)
            }
            values += bytes
        }
        return table + number(0, 4) + values
    }

    private func encoded(_ value: Value, at place: Int) -> (format: Int, count: Int, bytes: [UInt8]) {
        switch value {
        case .text(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
        case .bytes(let bytes): (7, bytes.count, bytes)
        case .short(let list): (3, list.count, list.flatMap { number($0, 2) })
        case .long(let list): (4, list.count, list.flatMap { number($0, 4) })
        case .fraction(let list): (5, list.count, list.flatMap { number($0.0, 4) + number($0.1, 4) })
        case .folder(let entries): (13, 1, directory(entries, at: place))
        }
    }

    /// Reads every beginning of the note, and the note with each byte replaced: no trap, and no fact outside of what it
    /// may be.
    ///
    /// Returns the number of readings whose facts break their promise: 0.
    public static func torment(
        _ reader: some MakerNoteReader, _ note: [UInt8], model: String = "", isLittleEndian: Bool = true
    ) -> Int {
        var wrong = 0
        func look(_ bytes: [UInt8]) {
            let facts = reader.facts(in: MakerNote(bytes, isLittleEndian: isLittleEndian), model: model)
            let texts = [facts.serial, facts.owner, facts.lensModel, facts.lensSerial].compactMap { $0 }
            let isSound =
                facts.rating.map { (1...5).contains($0) } ?? true && facts.shutterCount.map { $0 > 0 } ?? true
                && facts.imageNumber.map { $0 > 0 } ?? true && texts.allSatisfy { !$0.isEmpty && $0.utf8.count <= 1024 }
            if !isSound { wrong += 1 }
        }
        for length in note.indices { look(Array(note[..<length])) }
        for index in note.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var bytes = note
                bytes[index] = value
                look(bytes)
            }
        }
        return wrong
    }
}
