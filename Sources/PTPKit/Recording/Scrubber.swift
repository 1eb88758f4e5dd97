/// Takes out of a recording what names a person or a body.
///
/// Serial numbers become digits of the same length, wherever they stand, in eight and in sixteen bits per character; so
/// do words with an `@`, and all words given. What a maker hides in its own way stays: look at a recording before
/// giving it away.
public struct Scrubber: Sendable {
    private let words: [[UInt8]]

    /// Takes out a serial number, an owner, whatever must not be read.
    ///
    /// Shorter ones than four characters are left alone, they are everywhere.
    public init(_ words: [String]) {
        var all: Set<String> = []
        for word in words {
            let plain = String(word.drop { $0 == "0" || $0 == " " }.reversed().drop { $0 == " " }.reversed())
            for form in [word, plain] where form.utf8.count >= 4 { all.insert(form) }
        }
        self.words = all.sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }.map { Array($0.utf8) }
    }

    public func scrubbed(_ recording: Recording) -> Recording {
        var copy = recording
        for (index, item) in copy.items.enumerated() {
            guard case .exchange(var exchange) = item else { continue }
            if case .bytes(let bytes) = exchange.payload { exchange.payload = .bytes(scrubbed(bytes)) }
            exchange.sent = exchange.sent.map(scrubbed)
            copy.items[index] = .exchange(exchange)
        }
        return copy
    }

    public func scrubbed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for width in [1, 2] {
            for word in words { replace(word, width, in: &bytes) }
            hideAddresses(width, in: &bytes)
        }
        return bytes
    }

    private func replace(_ word: [UInt8], _ width: Int, in bytes: inout [UInt8]) {
        let wide = word.flatMap { [$0] + [UInt8](repeating: 0, count: width - 1) }
        guard bytes.count >= wide.count else { return }
        var index = 0
        while index + wide.count <= bytes.count {
            guard bytes[index] == wide[0], bytes[index..<index + wide.count].elementsEqual(wide) else {
                index += 1
                continue
            }
            for place in stride(from: index, to: index + wide.count, by: width) {
                bytes[place] = Self.digit(place - index, width)
            }
            index += wide.count
        }
    }

    /// Words around an `@`.
    private func hideAddresses(_ width: Int, in bytes: inout [UInt8]) {
        func isWord(_ index: Int) -> Bool {
            guard index >= 0, index + width <= bytes.count, bytes[index] > 0x20, bytes[index] < 0x7F else {
                return false
            }
            return width == 1 || bytes[index + 1] == 0
        }
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "@"), isWord(index), isWord(index - width), isWord(index + width) else {
                index += 1
                continue
            }
            var first = index, last = index
            while isWord(first - width), index - first < 64 * width { first -= width }
            while isWord(last + width), last - index < 64 * width { last += width }
            for place in stride(from: first, through: last, by: width) {
                bytes[place] = Self.digit(place - first, width)
            }
            index = last + width
        }
    }

    private static func digit(_ offset: Int, _ width: Int) -> UInt8 { UInt8(ascii: "1") + UInt8(offset / width % 9) }
}
