import FilmgateCore
import Foundation
import Glibc
import Testing

/// Reads a stream of the page as a browser does; blocks its thread for ten seconds at most.
final class EventReader {
    struct Message {
        var name: String, data: JSONValue
        var id: String?
    }
    private let descriptor: Int32
    private var bytes: [UInt8] = [], messages: [Message] = []
    private(set) var isOver = false
    /// How often it was said that somebody is there, and nothing else.
    private(set) var comments = 0

    init(_ client: RawClient, _ headers: [String: String], since: String? = nil) throws {
        descriptor = try client.connected()
        // struct timeval
        var limit = [1, 0]
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(2 * MemoryLayout<Int>.size))
        let more = since.map { ["Last-Event-ID": $0] } ?? [:]
        try RawClient.send(client.request("GET", "/api/v1/stream", headers.merging(more) { $1 }), descriptor)
    }

    deinit { close(descriptor) }

    /// The next message of that name; nil when there is none in time, or the stream ended.
    func next(_ name: String, seconds: Double = 10) -> Message? {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            while !messages.isEmpty {
                let message = messages.removeFirst()
                if message.name == name { return message }
            }
            guard read() else { return nil }
        }
        return nil
    }

    /// True when the stream ends in time.
    func ends(within seconds: Double) -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end, !isOver { _ = read() }
        return isOver
    }

    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return true }
        guard count > 0 else {
            isOver = true
            return false
        }
        bytes += buffer[..<count]
        // Chunks begin with their size on a line of its own, which is no line of an event.
        while let end = bytes.firstRange(of: Array("\n\n".utf8)) {
            let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(whereSeparator: \.isNewline)
            bytes.removeSubrange(..<end.upperBound)
            if lines.contains(where: { $0.hasPrefix(":") }) { comments += 1 }
            func value(_ field: String) -> String? {
                lines.first { $0.hasPrefix(field + ": ") }.map { String($0.dropFirst(field.count + 2)) }
            }
            guard let name = value("event"), let data = value("data").flatMap({ JSONValue(Array($0.utf8)) }) else {
                continue
            }
            messages.append(Message(name: name, data: data, id: value("id")))
        }
        return true
    }
}
