public import FilmgateCore
import Glibc

/// Our GUID and name, as cameras remember them: made once, kept in the state directory.
public enum IdentityFile {
    static let name = "camera-identity"

    /// Reads it, or makes it.
    ///
    /// Blocks for the disk. `misconfigured` when the state directory cannot be written.
    public static func load(_ state: String) throws(IngestError) -> InitiatorIdentity {
        let path = state + "/" + name
        if let text = read(path), let identity = parse(text) { return identity }
        let fresh = make()
        try write(fresh, path)
        // Another process may have been first: what is on disk counts.
        return read(path).flatMap(parse) ?? fresh
    }

    /// What is kept; nil where nothing is.
    public static func known(_ state: String) -> InitiatorIdentity? { read(state + "/" + name).flatMap(parse) }

    /// False where there is no state directory.
    static func hasPlace(_ state: String) -> Bool { access(state, F_OK) == 0 }

    /// A new one, which is kept nowhere.
    static func make() -> InitiatorIdentity {
        var random = SystemRandomNumberGenerator()
        return InitiatorIdentity(guid: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }, name: hostName)
    }

    static func parse(_ text: String) -> InitiatorIdentity? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 2, lines[0].utf8.count == 32 else { return nil }
        var guid: [UInt8] = []
        var rest = lines[0]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            guid.append(byte)
            rest = rest.dropFirst(2)
        }
        return InitiatorIdentity(guid: guid, name: String(lines[1]))
    }

    private static var hostName: String {
        let plain = MachineName.current?.split(separator: ".").first.map(String.init) ?? ""
        return plain.isEmpty ? "Filmgate" : "Filmgate (\(plain))"
    }

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 512) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, 512))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ identity: InitiatorIdentity, _ path: String) throws(IngestError) {
        let part = path + ".\(getpid()).part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw IngestError(.misconfigured, "\(part) cannot be written: \(reason(errno)).") }
        let text = identity.guid.map { hex(UInt64($0), 2) }.joined() + "\n" + identity.name + "\n"
        let bytes = Array(text.utf8)
        let written = Glibc.write(descriptor, bytes, bytes.count)
        let isDurable = fdatasync(descriptor) == 0
        close(descriptor)
        // The first one wins: a link fails where the name exists.
        if written == bytes.count, isDurable { _ = link(part, path) }
        unlink(part)
        guard access(path, R_OK) == 0 else { throw IngestError(.misconfigured, "\(path) cannot be written.") }
    }
}
