public import PTPKit
public import VirtualCamera

/// A virtual Alpha: in MTP mode with its card, or in PC Remote mode with one frame at a time in memory.
public struct SonyPersonality: Personality {
    public var info = DeviceInfo()
    public let folder = "DCIM/100MSDCF"
    /// Polls for which a frame in memory is announced but not yet whole.
    public var delay = 1

    public init(remote: Bool = false) {
        let standard: [ClosedRange<UInt16>] = [0x1001...0x100A, 0x1014...0x1016, 0x101B...0x101B]
        let vendor: [ClosedRange<UInt16>] =
            remote ? [0x9201...0x9202, 0x9205...0x9205, 0x9209...0x9209] : [0x9801...0x9801, 0x9803...0x9803]
        info.vendorExtension = remote ? 0x11 : 0xFFFF_FFFF
        info.vendorExtensionVersion = 100
        info.operations = Set((standard + vendor).flatMap { $0 }.map { OperationCode($0) })
        info.events = remote ? [0xC201, 0xC202, 0xC203] : [.objectAdded, .storeAdded, .storeRemoved]
        info.manufacturer = "Sony Corporation"
        (info.model, info.version, info.serial) = (
            remote ? "ILCE-1" : "ILCE-7M3", "2.00", "00000000000000003282612345678901"
        )
    }

    private var isRemote: Bool { info.offers(.sonyConnect) }

    public func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        guard isRemote, body.session != nil else { return nil }
        let operation = request.operation
        switch operation.code.rawValue {
        case 0x9201:
            body[SonyBody.self].phase = operation.parameter(0)
            return .data([UInt8](repeating: 0, count: 8))
        case 0x9202:
            body[SonyBody.self].asked += 1
            return .data(body[SonyBody.self].asked < 3 ? [] : [0xC8, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        case 0x9205: return .ok
        case 0x9209: return body[SonyBody.self].phase == 3 ? .data(properties(&body)) : Answer(0xA106)
        case 0x1004: return .data([0, 0, 0, 0])
        case 0x1007: return Answer(.storeNotAvailable)
        case 0x1008: return frame(&body).map { .data($0.info.encoded) } ?? Answer(.generalError)
        case 0x1009:
            guard let frame = frame(&body) else { return Answer(.generalError) }
            body[SonyBody.self].frames.removeFirst()
            body[SonyBody.self].polls = 0
            return Answer(.ok, payload: .part(frame.content, offset: 0, count: frame.size))
        default: return nil
        }
    }

    /// The frame that may be read; reading early is what hangs a real body, so it is remembered.
    private func frame(_ body: inout VirtualBody) -> VirtualObject? {
        guard let first = body[SonyBody.self].frames.first, body[SonyBody.self].polls > delay else {
            body[SonyBody.self].hung += 1
            return nil
        }
        return first
    }

    private func properties(_ body: inout VirtualBody) -> [UInt8] {
        let count = UInt16(body[SonyBody.self].frames.count)
        if count > 0 { body[SonyBody.self].polls += 1 }
        var writer = ByteWriter()
        writer.put(UInt64(2))
        for (code, value, choices) in [(UInt16(0xD222), UInt16(0x11), [UInt16(1), 0x10, 0x11]), (0xD215, 0, [])] {
            writer.put(code)
            writer.put(DataType.uint16.rawValue)
            writer.put(contentsOf: [1, 1, 0, 0])
            writer.put(code == 0xD215 ? count | (body[SonyBody.self].polls > delay ? 0x8000 : 0) : value)
            writer.put(UInt8(choices.isEmpty ? 0 : 2))
            // Both lists of values, as newer bodies send them.
            for _ in 0..<(choices.isEmpty ? 0 : 2) {
                writer.put(UInt16(choices.count))
                for choice in choices { writer.put(choice) }
            }
        }
        return writer.bytes
    }

    public func announce(_ objects: [VirtualObject], folders: [VirtualObject], _ body: inout VirtualBody) {
        for object in folders + objects {
            guard isRemote else {
                body.post(PTPEvent(.objectAdded, [object.handle.rawValue]))
                continue
            }
            if object.info.format == .association { continue }
            body[SonyBody.self].frames.append(object)
            // Early, and twice, as bodies do.
            for _ in 0..<2 { body.post(PTPEvent(0xC201, [SonyHandler.memory.rawValue])) }
        }
    }
}

struct SonyBody: HandlerMemory, Sendable {
    var phase: UInt32 = 0, asked = 0, polls = 0
    /// Times that an initiator did what hangs a real body.
    var hung = 0
    var frames: [VirtualObject] = []
}
