/// Where an asset comes from, and all that identifies it without reading its bytes.
public struct Origin: Sendable, Hashable, Codable {
    /// Registered name of the source module.
    public var source: String
    /// Identity of the volume or device: a file system's UUID, a camera's serial and storage.
    public var volume: String
    /// Where the source is mounted or was opened, absolute; what a person sees as "the card".
    public var root: String
    /// Path below `root`, `/` between parts, exactly as the source spells it.
    public var path: String
    /// Bytes.
    public var size: UInt64
    /// Modification time, nanoseconds since 1970, as the file system reports it; camera time for cameras.
    public var modified: Int64
    /// Birth time on FAT, 0 elsewhere or where unknown.
    public var born: Int64
    /// inode and status-change time for plain dumps, 0 on volumes whose inodes are not stable.
    ///
    /// Cameras have no status change, and the ``MediumIdentity`` for an inode.
    public var inode: UInt64, changed: Int64
    /// Path below the volume, the part of the identity that stays when it is mounted elsewhere.
    public var volumePath: String

    public init(
        source: String, volume: String, root: String, path: String, size: UInt64, modified: Int64, born: Int64 = 0,
        inode: UInt64 = 0, changed: Int64 = 0, volumePath: String? = nil
    ) {
        (self.source, self.volume, self.root, self.path, self.size) = (source, volume, root, path, size)
        (self.modified, self.born, self.inode, self.changed) = (modified, born, inode, changed)
        self.volumePath = volumePath ?? path
    }

    public var name: String {
        String(path[(path.utf8.lastIndex(of: 0x2F).map { path.utf8.index(after: $0) } ?? path.startIndex)...])
    }
    /// The folder part of `path`, empty at the root.
    public var folder: String { path.utf8.lastIndex(of: 0x2F).map { String(path[..<$0]) } ?? "" }
    public var absolutePath: String { root.hasSuffix("/") ? root + path : root + "/" + path }
    public var fingerprint: Fingerprint {
        Fingerprint(path: volumePath, size: size, modified: modified, born: born, inode: inode, changed: changed)
    }
    /// Same file, same id, every run.
    public var id: AssetID {
        AssetID(
            rawValue: String(unsafeUninitializedCapacity: volume.utf8.count + volumePath.utf8.count + 106) { bytes in
                var writer = IdentityWriter(bytes: bytes)
                writer.put(volume)
                writer.add(volumePath)
                writer.add(size)
                writer.add(modified)
                writer.add(born)
                writer.add(inode)
                writer.add(changed)
                return writer.end
            })
    }
}

/// Writes what identifies a file, part by part: a card has tens of thousands of them, and interpolating takes several
/// times as long.
private struct IdentityWriter {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    var end = 0

    mutating func add(_ text: String) {
        put(byte: 0x1F)
        put(text)
    }

    mutating func add(_ number: Int64) {
        put(byte: 0x1F)
        if number < 0 { put(byte: 0x2D) }
        put(digits: number.magnitude)
    }

    mutating func add(_ number: UInt64) {
        put(byte: 0x1F)
        put(digits: number)
    }

    mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            _ = UnsafeMutableBufferPointer(rebasing: bytes[end...]).initialize(fromContentsOf: utf8)
            end += utf8.count
        }
    }

    private mutating func put(digits number: UInt64) {
        let start = end
        var rest = number
        repeat {
            put(byte: 0x30 + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start..<end].reverse()
    }

    private mutating func put(byte: UInt8) {
        bytes[end] = byte
        end += 1
    }
}

/// The part of an origin that must match in full for a card's file to be known.
///
/// Paths are compared as bytes: two spellings of one character are equal to Swift, but two files on a disk.
public struct Fingerprint: Sendable, Hashable {
    public var path: String, size: UInt64, modified: Int64, born: Int64, inode: UInt64, changed: Int64

    public init(path: String, size: UInt64, modified: Int64, born: Int64, inode: UInt64, changed: Int64) {
        (self.path, self.size, self.modified, self.born, self.inode, self.changed) = (
            path, size, modified, born, inode, changed
        )
    }

    public static func == (a: Self, b: Self) -> Bool {
        (a.size, a.modified, a.born, a.inode, a.changed) == (b.size, b.modified, b.born, b.inode, b.changed)
            && a.path.isSpelled(as: b.path)
    }

    public func hash(into hasher: inout Hasher) {
        path.hashSpelling(into: &hasher)
        hasher.combine(size)
        hasher.combine(modified)
    }
}

/// Names an asset the same in every run; compared as bytes, like the fingerprint that is part of it.
public struct AssetID: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static func == (a: Self, b: Self) -> Bool { a.rawValue.isSpelled(as: b.rawValue) }
    /// Spelled out: the library's own for raw values compares those.
    public static func != (a: Self, b: Self) -> Bool { !(a == b) }
    public func hash(into hasher: inout Hasher) { rawValue.hashSpelling(into: &hasher) }
}
