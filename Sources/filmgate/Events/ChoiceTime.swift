import FileKit

/// When a choice was made: the modification time of the file that holds it.
enum ChoiceTime {
    /// Milliseconds since 1970; nil where there is no file, or where its content is nobody's choice.
    static func of(_ path: String) -> Int64? {
        guard let facts = try? FileFacts.of(path), facts.modified >= 1_000_000 else { return nil }
        return facts.modified / 1_000_000
    }

    static func set(_ path: String, _ milliseconds: Int64) {
        try? FileSystem.setModified(path, milliseconds * 1_000_000)
    }
}
