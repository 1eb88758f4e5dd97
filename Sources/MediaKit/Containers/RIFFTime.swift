import FilmgateCore

extension CivilTime {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// What cameras write into IDIT and ICRD: `Mon Mar 10 15:04:43 2003`, `2001/ 1/27  1:42PM`, `2005/11/28/ 09:19`,
    /// `2002-12-16  15:35:01`.
    init?(riffText text: String) {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        if words.count >= 5, let month = Self.months.firstIndex(of: words[1].lowercased()) {
            self.init(text: "\(words[4]):\(month + 1):\(words[2]) \(words[3])")
            return
        }
        let afternoon = text.uppercased().hasSuffix("PM"), marked = afternoon || text.uppercased().hasSuffix("AM")
        let plain = (marked ? String(text.dropLast(2)) : text).replacing("/", with: ":")
        let tidy = plain.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing(": ", with: ":")
        guard var time = CivilTime(text: tidy) else { return nil }
        if marked { time.hour = time.hour % 12 + (afternoon ? 12 : 0) }
        self = time
    }
}

extension String {
    /// Each `part` replaced; texts here are a line at most.
    fileprivate func replacing(_ part: Character, with other: Character) -> String {
        String(map { $0 == part ? other : $0 })
    }

    fileprivate func replacing(_ part: String, with other: String) -> String {
        var result = "", rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(part) {
                result += other
                rest = rest.dropFirst(part.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result
    }
}
