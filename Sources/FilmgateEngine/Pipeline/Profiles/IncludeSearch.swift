import FilmgateCore
import Glibc

/// Where included profiles are found: shipped ones by name in the given directories, own ones by path.
struct IncludeSearch: Sendable {
    static let maxFiles = 100
    let reader: any ConfigReader
    /// Searched in order.
    let directories: [String]

    /// The file that an entry of `include:` in `file` means.
    ///
    /// `bad-include`, `include-not-found`.
    func path(of item: ConfigNode, from file: String) throws(ConfigError) -> String {
        let text = try item.text("a profile's name or a path such as ./mine.yaml")
        if text.hasPrefix("./") || text.hasPrefix("../") { return Self.folder(of: file) + Self.shortened(text) }
        if text.hasPrefix("/") { return text }
        if text.hasPrefix("~/") {
            guard let home = getenv("HOME") else {
                throw ConfigError(item.mark, "bad-include", "HOME is not set, so `~` has no meaning.")
            }
            return String(cString: home) + text.dropFirst(1)
        }
        guard isName(text) else {
            throw ConfigError(
                item.mark, "bad-include", "`\(text)` is neither a profile's name nor a path.",
                hint: "An own file is written with its folder: ./\(text)")
        }
        for directory in directories where access("\(directory)/\(text).yaml", F_OK) == 0 {
            return "\(directory)/\(text).yaml"
        }
        throw notFound(text, item.mark)
    }

    func text(at path: String, for item: ConfigNode) throws(ConfigError) -> String {
        do throws(ConfigError) { return try reader.text(path: path) } catch {
            throw ConfigError(
                item.mark, "include-not-found", "`\(path)` cannot be included. \(error.message)", hint: error.hint)
        }
    }

    /// The same for two spellings of one file; the path itself where there is no such file.
    func canonical(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
                    || $0 == 0x5F
            }
    }

    /// What `include:` knows by name.
    var names: [String] { Set(directories.flatMap(Self.profileNames)).sorted() }

    private func notFound(_ name: String, _ mark: Mark) -> ConfigError {
        let names = names
        let hint =
            nearest(name, among: names).map { "Did you mean `\($0)`?" }
            ?? (names.isEmpty
                ? "No profiles are installed in \(directories.joined(separator: ", ")); an own file is written with its folder: ./\(name).yaml"
                : "Known: \(names.joined(separator: ", ")).")
        return ConfigError(mark, "include-not-found", "There is no shipped profile called `\(name)`.", hint: hint)
    }

    private static func profileNames(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < 1000, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".yaml") { names.append(String(name.dropLast(5))) }
        }
        return names
    }

    private static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "" }
        return String(file[...slash])
    }

    /// `./a.yaml` beside `dir/p.yaml` is shown as `dir/a.yaml`.
    private static func shortened(_ path: String) -> String { path.hasPrefix("./") ? String(path.dropFirst(2)) : path }
}
