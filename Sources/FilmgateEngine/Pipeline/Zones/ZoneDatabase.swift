import Glibc

/// The machine's time zone files.
public struct ZoneDatabase: Sendable {
    public enum Fault: Error, Sendable, Hashable { case noDatabase, unknown }
    static let maxBytes = 256 << 10
    let directory: String

    public init(directory: String = "/usr/share/zoneinfo") { self.directory = directory }

    /// The rules of a zone by its IANA name, or of a fixed offset (`+02:00`, `-0330`, `Z`).
    ///
    /// Blocks for one small file.
    public func rules(named name: String) -> Result<ZoneRules, Fault> {
        if let seconds = Self.fixedOffset(name) { return .success(ZoneRules(name: name, fixed: seconds)) }
        guard Self.isName(name), let bytes = read(name), let rules = TZif.rules(from: bytes, name: name) else {
            return .failure(access(directory, R_OK) == 0 ? .unknown : .noDatabase)
        }
        return .success(rules)
    }

    /// Names of the same region, for suggestions; of all regions where the region itself is unknown.
    func names(like name: String) -> [String] {
        let region =
            name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
        let inside = Self.isName(region) ? entries(of: "\(directory)/\(region)").map { "\(region)/\($0)" } : []
        return inside + entries(of: directory)
    }

    private func entries(of directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < 2000, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private func read(_ name: String) -> [UInt8]? {
        let handle = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard handle >= 0 else { return nil }
        defer { close(handle) }
        var bytes = [UInt8](repeating: 0, count: Self.maxBytes), filled = 0
        while filled < bytes.count {
            let got = bytes.withUnsafeMutableBytes { room in
                room.baseAddress.map { Glibc.read(handle, $0 + filled, room.count - filled) } ?? 0
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            filled += got
        }
        return Array(bytes[..<filled])
    }

    /// Letters, digits, `+ - _` and single slashes: nothing that leads out of the directory.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return !parts.isEmpty && name.utf8.count <= 64
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy {
                        (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
                            || [0x2B, 0x2D, 0x5F].contains($0)
                    }
            }
    }

    /// Seconds east of UTC.
    static func fixedOffset(_ text: String) -> Int? {
        if text == "Z" || text == "UTC" { return 0 }
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let digits = Array(text.utf8.dropFirst())
        let plain = digits.count == 5 && digits[2] == 0x3A ? digits[0...1] + digits[3...4] : digits[...]
        guard plain.count == 2 || plain.count == 4, plain.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let numbers = plain.map { Int($0) - 0x30 }
        let hours = numbers[0] * 10 + numbers[1], minutes = numbers.count == 4 ? numbers[2] * 10 + numbers[3] : 0
        guard minutes < 60, hours * 60 + minutes <= 18 * 60 else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 60 + minutes) * 60
    }
}
