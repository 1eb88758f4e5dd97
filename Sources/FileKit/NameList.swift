internal import CLinux
import Glibc

/// An open folder.
struct DirectoryStream: ~Copyable {
    private let stream: OpaquePointer
    let descriptor: Int32

    /// Takes over `descriptor`, also when it fails (nil, `errno`).
    init?(_ descriptor: Int32) {
        guard let stream = fdopendir(descriptor) else {
            let code = errno
            close(descriptor)
            errno = code
            return nil
        }
        (self.stream, self.descriptor) = (stream, descriptor)
    }

    deinit { closedir(stream) }

    /// The next name and its `d_type`; nil at the end, with `errno` 0, or after a failure, with its code.
    func next<Value>(_ body: (UnsafeBufferPointer<UInt8>, UInt8) -> Value) -> Value? {
        errno = 0
        guard let record = readdir(stream), let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else {
            return nil
        }
        // Names on exFAT and NTFS can be longer than the 256 bytes that `dirent` declares: the record's own length
        // counts.
        let name = (UnsafeRawPointer(record) + offset).assumingMemoryBound(to: UInt8.self)
        let room = max(0, Int(record.pointee.d_reclen) - offset)
        let count = strnlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self), room)
        return body(UnsafeBufferPointer(start: name, count: count), record.pointee.d_type)
    }
}

/// The names of one folder in card order, packed: one buffer, eight bytes beside it per name.
struct NameList: ~Copyable {
    private struct Item { var start: UInt32, length: UInt16, type: UInt8, isTwin = false }

    private var bytes: [UInt8] = []
    private var items: [Item] = []

    var count: Int { items.count }

    /// Reads and sorts the folder; what went wrong before its end, or nil.
    mutating func fill(from stream: borrowing DirectoryStream, limit: Int) -> String? {
        var failure: String?
        while failure == nil {
            guard let isRoom = stream.next({ add($0, type: $1, limit: limit) }) else {
                if errno != 0 { failure = "the folder could not be read to its end: \(SystemFailure(errno).text)" }
                break
            }
            if !isRoom { failure = "the folder holds more entries than the limit of \(limit)" }
        }
        sort()
        return failure
    }

    /// Adds a name unless it is `.` or `..`; false when the list is full.
    mutating func add(_ name: UnsafeBufferPointer<UInt8>, type: UInt8, limit: Int = .max) -> Bool {
        let isDots = name.count <= 2 && name.allSatisfy { $0 == 0x2E }
        if isDots { return true }
        guard items.count < limit, bytes.count + name.count + 1 < UInt32.max, name.count < UInt16.max else {
            return false
        }
        items.append(Item(start: UInt32(bytes.count), length: UInt16(name.count), type: type))
        bytes.append(contentsOf: name)
        bytes.append(0)
        return true
    }

    mutating func sort() {
        bytes.withUnsafeBufferPointer { bytes in
            func name(_ item: Item) -> UnsafeBufferPointer<UInt8> {
                UnsafeBufferPointer(rebasing: bytes[Int(item.start)..<Int(item.start) + Int(item.length)])
            }
            var isSorted = true
            for (a, b) in zip(items, items.dropFirst()) where NaturalOrder.compare(name(a), name(b)) > 0 {
                isSorted = false
                break
            }
            if !isSorted { items.sort { NaturalOrder.compare(name($0), name($1)) < 0 } }
            for index in items.indices.dropFirst() {
                items[index].isTwin = NaturalOrder.compare(name(items[index - 1]), name(items[index])) == 0
            }
        }
    }

    func text(_ index: Int) -> String {
        let item = items[index]
        return bytes.withUnsafeBufferPointer {
            String(pathBytes: UnsafeBufferPointer(rebasing: $0[Int(item.start)..<Int(item.start) + Int(item.length)]))
        }
    }

    /// Calls `body` with the name as a C string.
    func withName<Value>(_ index: Int, _ body: (UnsafePointer<CChar>) -> Value) -> Value {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return body("") }
            return body((base + Int(items[index].start)).assumingMemoryBound(to: CChar.self))
        }
    }

    /// Asks the file system about the name at an index, on any thread.
    func asking(in directory: Int32) -> @Sendable (Int) -> FactsPrefetcher.Answer {
        let (bytes, items) = (bytes, items)
        return { index in
            bytes.withUnsafeBytes { buffer in
                var answer = FactsPrefetcher.Answer()
                guard let base = buffer.baseAddress else { return answer }
                answer.code = fg_stat_at(
                    directory, (base + Int(items[index].start)).assumingMemoryBound(to: CChar.self), &answer.facts)
                return answer
            }
        }
    }

    /// The name at `index` with what the file system says about it.
    func entry(_ index: Int, below prefix: String, depth: Int, _ answer: FactsPrefetcher.Answer) -> ScanEntry {
        let name = text(index)
        var entry = ScanEntry(
            path: prefix + name, name: name, depth: depth, type: Self.type(entryType: items[index].type))
        if items[index].isTwin {
            // The kernel opens only the first of the two, so the second gets a name of its own that nothing opens.
            entry.path += "#twin\(index)"
            entry.problem = "two entries of the folder have this same name; the file system is damaged"
            return entry
        }
        guard answer.code == 0 else {
            entry.problem = SystemFailure(answer.code).text
            return entry
        }
        let facts = answer.facts
        entry.type = Self.type(mode: facts.mode)
        entry.isReadOnly = facts.mode & 0o222 == 0
        (entry.size, entry.inode, entry.device) = (facts.size, facts.inode, facts.device)
        (entry.modified, entry.changed, entry.born) = (facts.modified_ns, facts.changed_ns, facts.born_ns)
        return entry
    }

    private static func type(entryType: UInt8) -> ScanEntry.FileType {
        switch Int(entryType) {
        case Int(DT_REG): .file
        case Int(DT_DIR): .folder
        case Int(DT_LNK): .link
        case Int(DT_FIFO): .fifo
        case Int(DT_SOCK): .socket
        case Int(DT_CHR), Int(DT_BLK): .device
        default: .unknown
        }
    }

    private static func type(mode: UInt32) -> ScanEntry.FileType {
        switch mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        case S_IFIFO: .fifo
        case S_IFSOCK: .socket
        case S_IFCHR, S_IFBLK: .device
        default: .unknown
        }
    }
}
