import GPhoto2Wire
import Glibc
import Testing

@Suite struct MessageTests {
    static let path = GPhotoPath(folder: Array("/store_00010001/DCIM".utf8), name: [0x44, 0xFF, 0x2E])
    static let requests: [GPhotoRequest] = [
        .detect, .open(model: "Body 5", port: "usb:001,004"), .list, .read(path, from: 0x1_0000_0001),
        .wait(milliseconds: 500), .show(path),
    ]
    static let replies: [GPhotoReply] = [
        .camera(model: "Körper", port: "usb:"), .opened(GPhotoBody(make: "m", model: "", serial: "7")),
        .file(GPhotoFile(path: path, size: .max, seconds: -1)), .data([1, 2, 3]), .data([]), .done,
        .failed(code: -53, text: "claim"),
    ]

    @Test(arguments: requests) func requestsSurviveTheWay(_ request: GPhotoRequest) throws {
        #expect(try GPhotoRequest(request.frame) == request)
    }

    @Test(arguments: replies) func repliesSurviveTheWay(_ reply: GPhotoReply) throws {
        #expect(try GPhotoReply(reply.frame) == reply)
    }

    @Test(arguments: replies) func damagedRepliesAreRefusedOrReadWithinTheirBounds(_ reply: GPhotoReply) {
        let fields = reply.frame.fields
        for count in 0..<fields.count { _ = try? GPhotoReply(Frame(reply.frame.kind, Array(fields.prefix(count)))) }
        for index in fields.indices {
            var changed = fields
            changed[index] = 0xFF
            _ = try? GPhotoReply(Frame(reply.frame.kind, changed))
        }
        for kind in 0...UInt8.max { _ = try? GPhotoReply(Frame(kind, fields)) }
        #expect(throws: WireError.malformed) { _ = try GPhotoReply(Frame(67, [])) }
        #expect(throws: WireError.malformed) { _ = try GPhotoReply(Frame(1, [])) }
        #expect(throws: WireError.malformed) { _ = try GPhotoRequest(Frame(65, [])) }
    }
}

@Suite struct FrameChannelTests {
    @Test func framesArriveWholeHoweverTheyAreCut() throws {
        let (channel, other) = try pair()
        defer { close(other) }
        let frames = [Frame(1), Frame(68, [UInt8](repeating: 7, count: 70_000)), Frame(69)]
        let bytes = frames.flatMap(\.encoded)
        let writer = Thread {
            for part in stride(from: 0, to: bytes.count, by: 977) {
                put(Array(bytes[part..<min(part + 977, bytes.count)]), other)
            }
        }
        for frame in frames { #expect(try channel.receive(within: .seconds(120)) == frame) }
        writer.join()
    }

    @Test(arguments: [[0, 0, 0, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF, 1], [1, 0, 0x10, 0, 1]] as [[UInt8]])
    func lengthsThatNobodySendsAreRefused(_ bytes: [UInt8]) throws {
        let (channel, other) = try pair()
        defer { close(other) }
        put(bytes, other)
        #expect(throws: WireError.malformed) { _ = try channel.receive(within: .seconds(120)) }
    }

    @Test func silenceAndTheEndAreToldApart() throws {
        let (channel, other) = try pair()
        put([5, 0, 0], other)
        #expect(throws: WireError.timedOut) { _ = try channel.receive(within: .milliseconds(20)) }
        close(other)
        #expect(throws: WireError.ended) { _ = try channel.receive(within: .seconds(120)) }
        #expect(throws: WireError.ended) {
            for _ in 0..<100 { try channel.send(Frame(1, [UInt8](repeating: 0, count: 10_000))) }
        }
    }

    private func pair() throws -> (FrameChannel, Int32) {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        return (FrameChannel(pair[0]), pair[1])
    }
}

private func put(_ bytes: [UInt8], _ descriptor: Int32) {
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
}

/// A thread that can be waited for.
private struct Thread {
    private let handle: pthread_t
    private final class Work { let body: () -> Void; init(_ body: @escaping () -> Void) { self.body = body } }

    init(_ body: @escaping () -> Void) {
        var handle = pthread_t()
        pthread_create(
            &handle, nil,
            { data in
                if let data { Unmanaged<Work>.fromOpaque(data).takeRetainedValue().body() }
                return nil
            }, Unmanaged.passRetained(Work(body)).toOpaque())
        self.handle = handle
    }

    func join() { pthread_join(handle, nil) }
}
