import Glibc

/// A folder of a test's own below the system's temporary one, removed with everything in it.
final class ScratchFolder {
    let path: String

    init() {
        var template = Array("/tmp/filmgate-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp/filmgate-failed"
    }

    deinit { remove(path.utf8.map(CChar.init(bitPattern:))) }

    /// Creates an empty file or one of `bytes`, with the folders above it.
    func file(_ name: String, _ bytes: String = "") { file(bytes: Array(name.utf8), bytes) }

    func file(bytes name: [UInt8], _ content: String = "") {
        let full = Array(path.utf8) + [0x2F] + name
        for index in full.indices where full[index] == 0x2F && index > path.utf8.count { make(full[..<index]) }
        let descriptor = open(full.map(CChar.init(bitPattern:)) + [0], O_WRONLY | O_CREAT, 0o644)
        _ = content.withCString { write(descriptor, $0, strlen($0)) }
        close(descriptor)
    }

    func folder(_ name: String) {
        let full = Array("\(path)/\(name)".utf8)
        for index in full.indices where full[index] == 0x2F && index > path.utf8.count { make(full[..<index]) }
        make(full[...])
    }

    func link(_ name: String, to target: String) { symlink(target, "\(path)/\(name)") }

    private func make(_ folder: ArraySlice<UInt8>) { mkdir(folder.map(CChar.init(bitPattern:)) + [0], 0o755) }

    /// By bytes, through nothing that is under test here.
    private func remove(_ path: [CChar]) {
        if let stream = opendir(path + [0]) {
            while let record = readdir(stream) {
                let name = withUnsafeBytes(of: &record.pointee.d_name) {
                    $0.prefix { $0 != 0 }.map(CChar.init(bitPattern:))
                }
                if record.pointee.d_type == DT_DIR, name != [0x2E], name != [0x2E, 0x2E] {
                    remove(path + [0x2F] + name)
                } else {
                    unlink(path + [0x2F] + name + [0])
                }
            }
            closedir(stream)
        }
        rmdir(path + [0])
    }
}
