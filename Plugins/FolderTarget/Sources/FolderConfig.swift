public import FilmgateCore
import Glibc

extension FolderTarget {
    public struct Config: ModuleConfig {
        public enum Proof: String, CaseIterable, ConfigValue { case reread, size }
        public var path: Template?
        public var name = Self.originalName
        public var verify = Proof.reread
        public var mhl = false
        public var workers = 4

        public init() {}

        public static let schema: Schema<Self> = [
            .field("path", \.path, "The folder, with variables from the first part that varies on.").required(),
            .field("name", \.name, "The file's name below it."),
            .field("verify", \.verify, "Read each copy back from the disk before it counts, or only compare its size."),
            .field("mhl", \.mhl, "Keep an ASC MHL 2.0 history in `ascmhl` below the fixed part of the path."),
            .field("workers", \.workers, in: 1...16, "Files written at once."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            if name.source.allSatisfy({ $0 == "/" }) {
                throw ConfigError(
                    node["name"]?.mark ?? node.mark, "bad-path", "The name must not be empty.",
                    hint: "Leave it out for `{name}`.")
            }
            if let climb = FolderLayout.climb(self) {
                let value = node[climb.option]
                var mark = value?.mark ?? node.mark
                if case .scalar(_, quoted: true)? = value?.value { mark.column += 1 }
                mark.column += climb.offset
                throw ConfigError(
                    mark, "bad-path", FolderLayout.noClimbing, hint: "Write the folder out before the first variable.")
            }
            do throws(ConfigError) {
                _ = try FolderLayout(self)
            } catch {
                var placed = error
                placed.mark = node["path"]?.mark ?? node.mark
                throw placed
            }
        }

        private static let originalName: Template = {
            guard let name = Template("{name}") else { preconditionFailure("{name} is a template.") }
            return name
        }()
    }
}

/// A folder template cut where it begins to vary.
struct FolderLayout {
    /// Absolute, `~` expanded.
    let root: String
    /// What the engine fills in for the path below it.
    let below: Template

    init(_ config: FolderTarget.Config) throws(ConfigError) {
        guard let path = config.path else { throw ConfigError(Mark(), "missing-key", "`path` is required.") }
        let (fixed, rest) = Self.cut(path.source)
        root = try Self.absolute(fixed)
        let source = rest.isEmpty ? config.name.source : "\(rest)/\(config.name.source)"
        guard Self.climb(config) == nil, let below = Template(source) else {
            throw ConfigError(Mark(), "bad-path", Self.noClimbing)
        }
        self.below = below
    }

    static let noClimbing = "Below its fixed part a path only goes down: `.` and `..` are no names there."

    /// The first `.` or `..` of the part that the engine fills in: the option, and how many scalars stand before it.
    ///
    /// The fixed part may hold some: a person says with it where the folder is.
    static func climb(_ config: FolderTarget.Config) -> (option: String, offset: Int)? {
        let path = Array((config.path?.source ?? "").unicodeScalars)
        if let at = climb(in: path, from: varyingStart(of: path)) { return ("path", at) }
        return climb(in: Array(config.name.source.unicodeScalars), from: 0).map { ("name", $0) }
    }

    private static func climb(in source: [Unicode.Scalar], from start: Int) -> Int? {
        for part in source[start...].split(separator: "/")
        where part.elementsEqual(["."]) || part.elementsEqual([".", "."]) {
            return part.startIndex
        }
        return nil
    }

    /// The part before the folder that holds the first variable, braces unescaped, and the rest as it is written.
    static func cut(_ source: String) -> (fixed: String, rest: String) {
        let scalars = Array(source.unicodeScalars), cut = cut(scalars)
        var rest = String.UnicodeScalarView()
        rest.append(contentsOf: scalars[cut.start...])
        return (String(cut.fixed), trimmed(String(rest)))
    }

    private static func varyingStart(of source: [Unicode.Scalar]) -> Int { cut(source).start }

    /// The fixed part, braces unescaped, and where the part that varies begins.
    private static func cut(_ scalars: [Unicode.Scalar]) -> (fixed: String.UnicodeScalarView, start: Int) {
        var literal = String.UnicodeScalarView(), index = 0
        var fixed = String.UnicodeScalarView(), start = 0
        while index < scalars.count {
            let scalar = scalars[index]
            let isEscape = (scalar == "{" || scalar == "}") && index + 1 < scalars.count && scalars[index + 1] == scalar
            if scalar == "{", !isEscape { return (fixed, start) }
            literal.append(scalar)
            index += isEscape ? 2 : 1
            if scalar == "/" { (fixed, start) = (literal, index) }
        }
        return (literal, scalars.count)
    }

    private static func trimmed(_ text: String) -> String {
        text.split(separator: "/", omittingEmptySubsequences: true).joined(separator: "/")
    }

    private static func absolute(_ path: String) throws(ConfigError) -> String {
        if path.hasPrefix("/") { return path }
        if path == "~" || path.hasPrefix("~/") {
            guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else {
                throw ConfigError(
                    Mark(), "bad-path", "`~` has no meaning here: the variable HOME is not set.",
                    hint: "Write the whole path.")
            }
            return home + path.dropFirst()
        }
        throw ConfigError(
            Mark(), "bad-path", "The folder must be an absolute path or begin with `~/`.",
            hint: path.hasPrefix("~")
                ? "Write another user's home as a whole path."
                : path.hasPrefix("{")
                    ? "Put the fixed part before the first variable."
                    : "Write all of it, such as /srv/pictures or ~/Pictures: a service runs in another folder than you do."
        )
    }
}
