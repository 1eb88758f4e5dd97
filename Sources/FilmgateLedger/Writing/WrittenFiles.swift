package import FilmgateCore

/// Which files a commit wrote down anew, and of which contents it wrote down what became of them.
///
/// For whoever keeps a list of all files and does not want to read it as a whole after each change.
public struct WrittenFiles: Sendable, Hashable {
    public internal(set) var files: Set<FrameKey> = [], contents: Set<Int64> = []

    public init() {}

    public var isEmpty: Bool { files.isEmpty && contents.isEmpty }

    public mutating func formUnion(_ other: WrittenFiles) {
        files.formUnion(other.files)
        contents.formUnion(other.contents)
    }

    /// In parts of at most so many, none of which is too long for a line.
    public func parts(of most: Int) -> [WrittenFiles] {
        var parts: [WrittenFiles] = [], part = WrittenFiles()
        func close() {
            if !part.isEmpty { parts.append(part) }
            part = WrittenFiles()
        }
        for file in files {
            part.files.insert(file)
            if part.files.count == most { close() }
        }
        close()
        for content in contents {
            part.contents.insert(content)
            if part.contents.count == most { close() }
        }
        close()
        return parts
    }
}

extension WrittenFiles {
    /// As a JSON object; numbers that JSON would round are texts.
    public var text: String {
        var object = JSONWriter()
        object.add(
            "files",
            objects: files.map { file in
                var entry = JSONWriter()
                entry.add("path", file.path)
                entry.add("key", file.numbers)
                return entry
            })
        object.add("contents", contents.map(String.init))
        return object.finished
    }

    /// Nil for anything else.
    package init?(_ object: JSONValue) {
        guard let files = object["files"]?.items, let contents = object["contents"]?.texts else { return nil }
        for entry in files {
            guard let path = entry["path"]?.string,
                let file = entry["key"]?.texts.flatMap({ FrameKey(path, numbers: $0) })
            else {
                return nil
            }
            self.files.insert(file)
        }
        for content in contents {
            guard let number = Int64(content) else { return nil }
            self.contents.insert(number)
        }
    }
}

extension FrameKey {
    fileprivate var numbers: [String] {
        [String(volume), String(size), String(modified), String(born), String(inode), String(changed)]
    }

    fileprivate init?(_ path: String, numbers: [String]) {
        guard numbers.count == 6, let volume = Int64(numbers[0]), let size = UInt64(numbers[1]),
            let modified = Int64(numbers[2]),
            let born = Int64(numbers[3]), let inode = UInt64(numbers[4]), let changed = Int64(numbers[5])
        else { return nil }
        self.init(
            volume: volume, path: path, size: size, modified: modified, born: born, inode: inode, changed: changed)
    }
}
