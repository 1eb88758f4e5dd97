/// Cutting and joining of paths by their bytes.
///
/// Nothing here touches the disk.
public enum Paths {
    /// `path` below `folder`, without a leading `/`: empty when they are the same, nil when it lies elsewhere.
    ///
    /// Both absolute, without links.
    public static func relative(_ path: String, to folder: String) -> String? {
        let path = path.utf8, folder = folder.utf8.last == 0x2F ? folder.utf8.dropLast() : folder.utf8[...]
        guard path.starts(with: folder) else { return nil }
        let rest = path.dropFirst(folder.count)
        if rest.isEmpty { return "" }
        return rest.first == 0x2F ? String(Substring(rest.dropFirst())) : nil
    }

    /// `name` below `folder`; either may be empty.
    public static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty || name.isEmpty ? folder + name : folder.utf8.last == 0x2F ? folder + name : "\(folder)/\(name)"
    }

    /// The last part of a path; `/` itself stays.
    public static func name(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: 0x2F), path.utf8.count > 1 else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// All but the last part; `/` for what lies at the top, empty for a bare name.
    public static func folder(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "" }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }
}
