import FilmgateCore

extension StagingArea {
    /// Who begins files in an area.
    ///
    /// It alone knows which of them something waits for, and so it alone removes what its processes left.
    public enum Owner: Sendable, Hashable {
        /// Folder targets, which copy here what they deliver: nothing waits for an unfinished copy.
        case target
        /// A state directory, by a text that no other one has, on other machines either.
        case state(String)

        /// The state directory at `path`, which exists; the same after it was renamed or its disk was mounted elsewhere.
        ///
        /// A copy of it is another one: from then on each begins files that the other knows nothing of.
        public static func state(at path: String) -> Self {
            let real = FileSystem.canonical(path)
            // A file system that keeps no time of birth may number its folders anew with each mount, too.
            guard let facts = try? FileFacts.of(real), facts.born != 0 else { return .state(real) }
            return .state("\(facts.inode) \(facts.born)")
        }

        /// What the names of its areas begin with: one letter that is no hexadecimal digit, and seven that are.
        private var prefix: String {
            switch self {
            case .target: "t0000000"
            case .state(let name): "s" + Self.digits(FNV1a.hash(name.utf8) & 0xFFF_FFFF, count: 7)
            }
        }

        /// A name for an area, 16 characters; nobody else's has it.
        func newSession() -> String { prefix + Self.digits(UInt64.random(in: 0...0xFFFF_FFFF), count: 8) }

        /// The area that began the file of this name; nil when none did.
        static func session(of name: String) -> String? {
            guard let session = name.split(separator: "-").first, session.utf8.count == 16 else { return nil }
            return String(session)
        }

        /// Whether it may remove what the area left.
        ///
        /// Older builds named areas by 16 hexadecimal digits, whosever they were: any state that waits for none of it
        /// may.
        func owns(_ session: String) -> Bool {
            session.hasPrefix(prefix) || self != .target && session.first?.isHexDigit == true
        }

        /// Whether a folder target's area has this name.
        static func isTarget(_ session: some StringProtocol) -> Bool {
            session.utf8.count == 16 && session.hasPrefix("t")
        }

        private static func digits(_ number: UInt64, count: Int) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
    }
}
