/// Swift text without its comments and without what stands in string literals; line by line the same length of file.
enum CodeText {
    static func stripped(_ text: String) -> [String] {
        var scanner = Scanner(characters: Array(text.utf8))
        return scanner.run().split(separator: 10, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private struct Scanner {
        let characters: [UInt8]
        var at = 0
        var out: [UInt8] = []

        mutating func run() -> [UInt8] {
            while at < characters.count {
                if starts("//") {
                    skipLine()
                } else if starts("/*") {
                    skip(until: "*/")
                } else if isQuote {
                    literal()
                } else {
                    keep()
                }
            }
            return out
        }

        private func starts(_ text: StaticString) -> Bool { matches(Array(text.description.utf8), at: at) }

        private func matches(_ text: [UInt8], at place: Int) -> Bool {
            place + text.count <= characters.count && characters[place..<place + text.count].elementsEqual(text)
        }

        /// A quote, or the number signs of a raw string before one.
        private var isQuote: Bool {
            var place = at
            while place < characters.count, characters[place] == 0x23 { place += 1 }
            return place < characters.count && characters[place] == 0x22
        }

        private mutating func keep() {
            out.append(characters[at])
            at += 1
        }

        private mutating func skipLine() { while at < characters.count, characters[at] != 10 { at += 1 } }

        private mutating func skip(until end: StaticString) {
            while at < characters.count, !starts(end) { pass() }
            at = min(at + end.utf8CodeUnitCount, characters.count)
        }

        /// Skips one character, keeping line breaks.
        private mutating func pass() {
            if characters[at] == 10 { out.append(10) }
            at += 1
        }

        private mutating func literal() {
            var signs: [UInt8] = []
            while characters[at] == 0x23 {
                signs.append(0x23)
                at += 1
            }
            let quote: [UInt8] = starts("\"\"\"") ? [0x22, 0x22, 0x22] : [0x22]
            at += quote.count
            while at < characters.count, !matches(quote + signs, at: at) { inside(signs) }
            at = min(at + quote.count + signs.count, characters.count)
            out += [0x22, 0x22]
        }

        /// One step inside a literal: an escape, an interpolation (its code is kept), or a character.
        private mutating func inside(_ signs: [UInt8]) {
            guard matches([0x5C] + signs, at: at) else { return pass() }
            at += 1 + signs.count
            guard at < characters.count, characters[at] == 0x28 else { return pass() }
            var depth = 0
            repeat {
                if isQuote {
                    literal()
                } else {
                    depth += characters[at] == 0x28 ? 1 : characters[at] == 0x29 ? -1 : 0
                    keep()
                }
            } while depth > 0 && at < characters.count
        }
    }
}
