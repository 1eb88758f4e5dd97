/// Turns configuration files into nodes.
///
/// The engine reads pipelines through this; which language they are written in stays behind it.
public protocol ConfigReader: Sendable {
    /// The whole text of the file at `path`, checked to be UTF-8 of bounded size. Blocks for the disk.
    func text(path: String) throws(ConfigError) -> String
    /// The tree in `text`; every mark names `file`. Stops at the first mistake.
    func read(text: String, file: String) throws(ConfigError) -> ConfigNode
}

extension ConfigReader {
    public func read(path: String) throws(ConfigError) -> ConfigNode { try read(text: text(path: path), file: path) }
}
