import FilmgateCore
import Foundation
import Glibc
import Testing

/// Speaks HTTP byte by byte, so that nothing is put right on the way; blocks its thread.
struct RawClient: Sendable {
    struct Reply {
        var status: Int, headers: [(name: String, value: String)], body: String
        subscript(header: String) -> String? { headers.first { $0.name == header.lowercased() }?.value }
        var json: JSONValue? { JSONValue(Array(body.utf8)) }
        var code: String? { json?["code"]?.string }
    }
    let port: Int

    /// Sends these bytes and reads until the other side closes, or until `isEnough`; nil when it says nothing.
    func send(raw text: String, until isEnough: ([UInt8]) -> Bool = { _ in false }) throws -> Reply? {
        let descriptor = try connected()
        defer { close(descriptor) }
        try Self.send(text, descriptor)
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 65_536)
        while !isEnough(bytes) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return Self.reply(String(decoding: bytes, as: UTF8.self))
    }

    /// A connection, which the caller closes.
    func connected() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), in_port_t(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(code == 0)
        return descriptor
    }

    static func send(_ text: String, _ descriptor: Int32) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // It may have been refused before its end.
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
    }

    /// A request as a client sends it; the host's own name unless `headers` has one.
    func send(
        _ method: String = "GET", _ path: String, _ headers: [String: String] = [:], body: String? = nil,
        headOnly: Bool = false
    ) throws -> Reply {
        let text = request(method, path, headers, body: body)
        return try #require(
            try send(raw: text) { bytes in headOnly && String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") })
    }

    func request(_ method: String, _ path: String, _ headers: [String: String], body: String? = nil) -> String {
        var lines = ["\(method) \(path) HTTP/1.1", "Connection: close"]
        if headers["Host"] == nil { lines.append("Host: 127.0.0.1:\(port)") }
        lines += headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    private static func reply(_ text: String) -> Reply? {
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        var lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let words = lines.removeFirst().split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { return nil }
        let headers = lines.compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        var body = String(text[end.upperBound...])
        if headers.contains(where: { $0.name == "transfer-encoding" && $0.value == "chunked" }) {
            body = unchunked(body)
        }
        return Reply(status: status, headers: headers, body: body)
    }

    private static func unchunked(_ text: String) -> String {
        var bytes = Array(text.utf8)[...], whole: [UInt8] = []
        while let line = bytes.firstIndex(of: 0x0D),
            let count = Int(String(decoding: bytes[..<line], as: UTF8.self), radix: 16), count > 0
        {
            let start = line + 2
            whole += bytes[start..<min(start + count, bytes.endIndex)]
            bytes = bytes.dropFirst(start - bytes.startIndex + count + 2)
        }
        return String(decoding: whole, as: UTF8.self)
    }
}
