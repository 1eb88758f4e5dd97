import CameraTesting
import CanonCamera
import Dispatch
import FujifilmCamera
import NikonCamera
import PTPKit
import SonyCamera
import VirtualCamera

@_silgen_name("LLVMFuzzerRunDriver") func drive(
    _ count: UnsafeMutablePointer<CInt>,
    _ values: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM calls a module's `main` by this name.
@_cdecl("FuzzPTP_main") public func entry(
    _ count: CInt, _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count, values = values
    return drive(&count, &values) { start, size in
        check([UInt8](UnsafeBufferPointer(start: start, count: size)))
        return 0
    }
}

/// The first byte chooses who reads the rest: a decoder, a transport, or a make's handler in a whole session.
func check(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    switch choice % 11 {
    case 0...2: decode(rest)
    case 3: packets(rest, piece: 1 + Int(choice) / 11)
    case 4: transfers(rest)
    case 5:
        wait {
            await ScriptedLink.exercise(
                StandardHandler(quirks: .standard.with { $0.bulkListing = true }), as: standard, rest)
        }
    case 6: wait { await ScriptedLink.exercise(CanonHandler(), as: CanonPersonality().info, rest) }
    case 7: wait { await ScriptedLink.exercise(NikonHandler(), as: NikonPersonality().info, rest) }
    case 9: dialect(rest, piece: 1 + Int(choice) / 11)
    case 8:
        wait { await ScriptedLink.exercise(SonyHandler(remote: true), as: SonyPersonality(remote: true).info, rest) }
    default:
        wait { await ScriptedLink.exercise(FujifilmHandler(confirmation: .zero), as: FujifilmPersonality().info, rest) }
    }
}

let standard = StandardPersonality().info

/// Every dataset, header and text.
func decode(_ bytes: [UInt8]) {
    let span = bytes.span.bytes
    if let info = try? DeviceInfo(span) {
        precondition((try? DeviceInfo(info.encoded.span.bytes)) != nil, "DeviceInfo cannot be read back")
    }
    _ = try? ObjectInfo(span)
    _ = try? StorageInfo(span)
    _ = try? PropertyDescription(span)
    if let list = try? ObjectPropertyList(span) {
        precondition(list.elements.count <= bytes.count / 9, "elements from nothing")
    }
    _ = try? BulkHeader(span)
    _ = try? IPHead(span)
    _ = try? InitCommandAck(span)
    _ = try? Response(ip: span)
    _ = try? PTPEvent(ip: span)
    var cursor = ByteCursor()
    while let text = try? cursor.string(from: span) { precondition(text.utf16.count <= 255, "a long text") }
    for type in [1, 2, 6, 8, 0xA, 0x4002, 0x4006, 0x400A, 0xFFFF] as [UInt16] {
        cursor = ByteCursor()
        _ = try? cursor.value(DataType(type), from: span)
        _ = try? cursor.form(DataType(type), lenient: true, from: span)
    }
    _ = PTPDate.parse(String(decoding: bytes, as: UTF8.self))
    var assembler = InterruptAssembler()
    for start in stride(from: 0, to: bytes.count, by: 8) {
        _ = assembler.take(Array(bytes[start..<min(bytes.count, start + 8)]))
    }
}

/// The command connection of PTP/IP, and the handshake.
func packets(_ bytes: [UInt8], piece: Int) {
    let identity = InitiatorIdentity(guid: [1], name: "fuzz")
    _ = try? PTPIPConnector.greet(FuzzStream(bytes, piece: piece), identity, by: .after(.seconds(1)))
    _ = try? PTPIPConnector.join(FuzzStream(bytes, piece: piece), 1, by: .after(.seconds(1)))
    guard let greeting = try? InitCommandAck([UInt8](repeating: 0, count: 24).span.bytes) else { return }
    let link = PTPIPLink(
        "fuzz", greeting: greeting, command: FuzzStream(bytes, piece: piece), events: FuzzStream([], piece: 1))
    follow(link)
}

/// The one connection of Fujifilm's dialect, and its handshake.
func dialect(_ bytes: [UInt8], piece: Int) {
    let identity = InitiatorIdentity(guid: [1], name: "fuzz")
    let model = try? FujiHandshake.exchange(FuzzStream(bytes, piece: piece), identity, by: .after(.seconds(1)))
    follow(FujiLink("fuzz", model: model ?? "X", stream: FuzzStream(bytes, piece: piece)))
}

/// Containers in transfers on a USB pipe.
func transfers(_ bytes: [UInt8]) { follow(BulkLink(FuzzPipe(bytes))) }

func follow(_ link: some CameraLink) {
    var machine = Transaction(id: 1, operation: .getObject, expectsData: true)
    var delivered: UInt64 = 0
    for _ in 0..<400 {
        guard let inbound = try? link.next(by: .after(.seconds(1))), let step = try? machine.take(inbound) else {
            return link.close()
        }
        if case .deliver = step {
            delivered += UInt64((try? link.payload { bytes throws(PTPError) in bytes.byteCount }) ?? 0)
        }
        if case .finished = step { break }
    }
    precondition(delivered == machine.received, "bytes delivered and counted differ")
    link.close()
}

/// Runs to its end before the next input.
func wait(_ body: @escaping @Sendable () async -> Void) {
    let gate = DispatchSemaphore(value: 0)
    Task {
        await body()
        gate.signal()
    }
    gate.wait()
}
