public import FilmgateCore
import Yams

/// Reads YAML 1.1 as far as a pipeline needs it: maps, lists and text.
///
/// Anchors, aliases, tags, merge keys and several documents are refused; sizes, depth and counts are bounded, so no
/// text can cost more than a second or crash.
///
/// Codes of its errors, stable: `file-not-found`, `file-unreadable`, `file-too-large`, `bad-encoding`,
/// `control-character`, `empty-file`, `several-documents`, `anchor-refused`, `alias-refused`, `tag-refused`,
/// `merge-key`, `duplicate-key`, `bad-key`, `too-deep`, `too-many-nodes`, `tab-indentation`, `syntax`.
public struct YAMLReader: ConfigReader {
    /// Bytes of one file.
    public static let maxBytes = 1 << 20
    /// Maps, lists, keys and values of one file.
    public static let maxNodes = 100_000
    /// Maps and lists inside each other.
    public static let maxDepth = 64
    /// Unicode scalars of one key.
    public static let maxKeyLength = 256

    public init() {}

    public func text(path: String) throws(ConfigError) -> String {
        let bytes = try TextFile.bytes(path: path, limit: Self.maxBytes)
        return try YAMLText.decoded(bytes, file: path)
    }

    public func read(text: String, file: String) throws(ConfigError) -> ConfigNode {
        let source = try YAMLText(text, file: file)
        var tree = YAMLTree(file: file)
        guard let root = try compose(source) else {
            throw ConfigError(Place(file: file, line: 1, column: 1), "empty-file", "The file holds nothing.")
        }
        return try tree.converted(root)
    }

    private func compose(_ source: YAMLText) throws(ConfigError) -> Node? {
        do {
            return try Parser(yaml: source.neutral, resolver: .basic, encoding: .utf8).singleRoot()
        } catch let error as YamlError {
            throw YAMLFault(source: source).explained(error)
        } catch {
            throw ConfigError(
                Place(file: source.file, line: 1, column: 1), "syntax", "The file cannot be read as YAML.")
        }
    }
}

/// Both Core and the YAML library call a place in a text `Mark`.
typealias Place = FilmgateCore.Mark
