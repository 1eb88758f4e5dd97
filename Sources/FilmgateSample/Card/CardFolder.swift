internal import FilmgateCore
internal import Glibc

/// A folder that a sample card is written into; counts what it takes.
struct CardFolder {
    private let root: String
    private(set) var written = SampleCard.Written(files: 0, bytes: 0)
    private var folders: [String] = []

    /// Creates the folder, or takes an empty one.
    ///
    /// `nameTaken` when something lies in it: a sample never mixes with somebody's pictures.
    init(creating root: String) throws(IngestError) {
        self.root = root
        try Self.make(root)
        guard let stream = opendir(root) else { throw Self.failure("open", root) }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name == "." || name == ".." else {
                throw IngestError(
                    .misconfigured, "`\(root)` already holds files.", advice: "Name a folder that is new or empty.")
            }
        }
    }

    /// Writes one file with its modification time in nanoseconds since 1970.
    ///
    /// The path is relative; folders are made as needed.
    mutating func add(_ path: String, _ bytes: [UInt8], modified: Int64) throws(IngestError) {
        try add(path, size: UInt64(bytes.count), modified: modified) { (file) throws(IngestError) in
            try file.write(bytes)
        }
    }

    /// The same for contents that come in pieces.
    mutating func add(
        _ path: String, size: UInt64, modified: Int64, contents: (borrowing CardFile) throws(IngestError) -> Void
    ) throws(IngestError) {
        try makeParents(of: path)
        let file = try CardFile(creating: root + "/" + path)
        try contents(file)
        try file.stamp(modified)
        written.files += 1
        written.bytes += size
    }

    /// Gives every folder that was made the time `modified`, so that a card looks the same each time.
    func finish(modified: Int64) throws(IngestError) {
        for folder in folders.reversed() {
            let code = Self.withTimes(modified / 1_000_000_000 * 1_000_000_000) {
                utimensat(AT_FDCWD, root + "/" + folder, $0, 0)
            }
            guard code == 0 else { throw Self.failure("date", folder) }
        }
    }

    private mutating func makeParents(of path: String) throws(IngestError) {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += (folder.isEmpty ? "" : "/") + part
            if folders.contains(folder) { continue }
            try Self.make(root + "/" + folder)
            folders.append(folder)
        }
    }

    private static func make(_ path: String) throws(IngestError) {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw failure("create", path) }
    }

    /// Access and modification time as the kernel wants them: two pairs of seconds and nanoseconds.
    ///
    /// Written as plain numbers, since the members of `timespec` hide as soon as a server framework is in the build.
    static func withTimes(_ modified: Int64, _ use: (UnsafePointer<timespec>?) -> Int32) -> Int32 {
        let pair = [Int(modified / 1_000_000_000), Int(modified % 1_000_000_000)]
        return (pair + pair).withUnsafeBytes { use($0.baseAddress?.assumingMemoryBound(to: timespec.self)) }
    }

    static func failure(_ verb: String, _ path: String) -> IngestError {
        let code = errno
        return IngestError(
            code == ENOSPC || code == EDQUOT ? .storageFull : .unexpected,
            "Cannot \(verb) `\(path)`: \(String(cString: strerror(code))).")
    }
}

/// One file of a sample card while it is written; never an existing one.
struct CardFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    init(creating path: String) throws(IngestError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        self.path = path
        guard descriptor >= 0 else { throw CardFolder.failure("create", path) }
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8]) throws(IngestError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { rest in
                rest.baseAddress.map { Glibc.write(descriptor, $0 + done, rest.count - done) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw CardFolder.failure("write", path) }
            done += count
        }
    }

    func stamp(_ modified: Int64) throws(IngestError) {
        guard CardFolder.withTimes(modified, { futimens(descriptor, $0) }) == 0 else {
            throw CardFolder.failure("date", path)
        }
    }
}
