import Glibc

/// Where cameras were found before, network by network; kept in the state directory.
///
/// One line each: network, address, name, separated by tabs; the latest first.
public struct KnownCameras: Sendable, Hashable {
    static let name = "cameras-on-the-network"
    private static let limit = 64, size = 64 << 10

    public struct Entry: Sendable, Hashable {
        public var network: String, host: CameraHost, label: String
        public init(network: String, host: CameraHost, label: String) {
            (self.network, self.host, self.label) = (network, host, label)
        }
    }
    public private(set) var entries: [Entry] = []

    public init() {}

    /// What is kept; nothing where the file is missing or damaged.
    public init(state: String) {
        let descriptor = open(state + "/" + Self.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, Self.size))
        }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").prefix(Self.limit) {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count == 3, let host = CameraHost(text: String(parts[1])) else { continue }
            entries.append(Entry(network: String(parts[0]), host: host, label: String(parts[2])))
        }
    }

    /// Addresses at which cameras were found in these networks.
    public func hosts(in networks: [LocalNetwork]) -> [CameraHost] {
        let keys = Set(networks.map(\.key))
        return entries.filter { keys.contains($0.network) }.map(\.host)
    }

    /// Puts a camera first; a camera of the same name in the same network has moved.
    public mutating func remember(_ entry: Entry) {
        var entry = entry
        entry.label = String(
            String.UnicodeScalarView(
                entry.label.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(80)))
        entries.removeAll { $0.network == entry.network && ($0.host == entry.host || $0.label == entry.label) }
        entries.insert(entry, at: 0)
        entries = Array(entries.prefix(Self.limit))
    }

    /// Writes the file; false where the state directory does not take it, which costs only the memory.
    @discardableResult public func save(state: String) -> Bool {
        let path = state + "/" + Self.name, part = path + ".\(getpid()).part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        let bytes = Array(
            entries.map { "\($0.network)\t\($0.host.shown ?? $0.host.host)\t\($0.label)\n" }.joined().utf8)
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count
        close(descriptor)
        if isWritten, rename(part, path) == 0 { return true }
        unlink(part)
        return false
    }
}
