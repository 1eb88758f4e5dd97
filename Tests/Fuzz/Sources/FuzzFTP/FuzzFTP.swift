import FTPKit

@_silgen_name("LLVMFuzzerRunDriver") func drive(
    _ count: UnsafeMutablePointer<CInt>,
    _ values: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM calls a module's `main` by this name.
@_cdecl("FuzzFTP_main") public func entry(
    _ count: CInt, _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count, values = values
    return drive(&count, &values) { start, size in
        check(Array(UnsafeRawBufferPointer(start: start, count: size)))
        return 0
    }
}

/// What anybody may send to the port of an `ftp` source before and after the login: commands, and a balancer's header.
///
/// The first byte says which of them the rest is.
func check(_ bytes: [UInt8]) {
    guard let kind = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    if kind % 2 == 0 { checkCommands(rest) } else { checkHeader(rest) }
}

/// Each path is seen from the folder that the one before it named.
func checkCommands(_ bytes: [UInt8]) {
    var lines = FTPCommandLines(), folder = FTPPath.root
    for byte in bytes {
        switch lines.take(byte) {
        case .nothing: continue
        case .tooLong: return
        case .line(let line):
            precondition(!line.verb.utf8.contains(0x20), "a verb of two words")
            // A byte that is no text takes four bytes as a character.
            precondition(line.argument.utf8.count <= 4 * 4096, "an argument longer than any line")
            if let place = line.hostPort {
                precondition(place.host.split(separator: ".").count == 4, "no address of four numbers")
            }
            if let place = line.extendedPort { precondition((0...65_535).contains(place.port), "no port") }
            guard let path = try? FTPPath(line.argument, from: folder) else { continue }
            checkPath(path)
            folder = path
        }
    }
}

/// It stays below the root, and is the same when it is read again.
func checkPath(_ path: FTPPath) {
    let parts = path.text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).map { Array($0) }
    precondition(path.text.isEmpty || !parts.contains([]), "an empty part")
    precondition(!parts.contains([0x2E]) && !parts.contains([0x2E, 0x2E]), "a part that leads elsewhere")
    precondition(parts.count <= 32 && parts.allSatisfy { $0.count <= 255 }, "a path without bounds")
    guard path.text.utf8.count <= 2048 else { return }
    let again = try? FTPPath(path.text, from: .root)
    precondition(again == path, "a path changes when it is read again")
}

/// The answer does not depend on how the network cut the bytes, and never counts bytes that have not come.
func checkHeader(_ bytes: [UInt8]) {
    let whole = ProxyHeader(bytes)
    if case .whole(let client, let length) = whole {
        precondition((1...bytes.count).contains(length), "a header beyond its bytes")
        let digits = Set("0123456789abcdef:.".utf8)
        precondition(client?.utf8.allSatisfy { digits.contains($0) } != false, "a client without an address")
    }
    for count in 0..<min(bytes.count, 600) {
        let part = ProxyHeader(Array(bytes.prefix(count)))
        precondition(part == .incomplete || part == whole, "judged too soon")
    }
}
