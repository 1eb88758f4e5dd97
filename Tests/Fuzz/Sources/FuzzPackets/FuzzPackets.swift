import CameraTesting
import Dispatch
import FujifilmCamera
import PTPKit

@_silgen_name("LLVMFuzzerRunDriver") func drive(
    _ count: UnsafeMutablePointer<CInt>,
    _ values: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM calls a module's `main` by this name.
@_cdecl("FuzzPackets_main") public func entry(
    _ count: CInt, _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count, values = values
    return drive(&count, &values) { start, size in
        check([UInt8](UnsafeBufferPointer(start: start, count: size)))
        return 0
    }
}

/// The first byte chooses the link; the rest chooses packets, which a camera sends over it for the length of a session.
func check(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    // More choices only repeat what fewer can do.
    let choices = Array(bytes.dropFirst().prefix(4096)), piece = choice < 128 ? Int.max : Int(choice) - 127
    wait {
        switch choice % 3 {
        case 0: await LinkExercise.network(PacketScript.stream(choices), piece: piece)
        case 1: await LinkExercise.bus(PacketScript.transfers(choices))
        default:
            let stream = PlayedStream(PacketScript.transfers(choices).flatMap { $0 }, piece: piece)
            await LinkExercise.session(FujiLink("fuzz", model: "X", stream: stream))
        }
    }
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
