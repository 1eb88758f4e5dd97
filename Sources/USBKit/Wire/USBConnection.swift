import CLibUSB
import Glibc
import Synchronization

/// An open device and one claimed interface of it.
///
/// Used by one thread at a time, except `stop`. Everything blocks up to the time it is given.
public final class USBConnection {
    public let device: USBDevice
    public let interface: USBInterface
    /// Ends every wait, from any thread; what is asked afterwards fails with `gone`.
    public let stop: @Sendable () -> Void
    public var bulkIn: USBEndpoint? { interface.endpoint(.bulk, isIn: true) }
    public var bulkOut: USBEndpoint? { interface.endpoint(.bulk, isIn: false) }

    private let descriptor: Int32
    private var handle: OpaquePointer?
    private let transfer: Transfer
    private let events: InterruptQueue?
    private let gate: Gate

    /// What `stop` may touch.
    private final class Gate: Sendable {
        let isShut = Atomic(false)
        let transfer: Transfer, events: InterruptQueue?
        init(_ transfer: Transfer, _ events: InterruptQueue?) { (self.transfer, self.events) = (transfer, events) }
    }

    /// Takes over an open and claimed device.
    init(
        _ device: USBDevice, _ interface: USBInterface, _ handle: OpaquePointer, _ descriptor: Int32, _ loop: EventLoop
    ) throws(USBError) {
        (self.device, self.interface, self.handle, self.descriptor) = (device, interface, handle, descriptor)
        transfer = try Transfer(loop)
        if let endpoint = interface.endpoint(.interrupt, isIn: true) {
            events = try InterruptQueue(handle, endpoint, loop)
        } else {
            events = nil
        }
        let gate = Gate(transfer, events)
        self.gate = gate
        stop = {
            gate.isShut.store(true, ordering: .sequentiallyConsistent)
            gate.transfer.cancel()
            gate.events?.cancel()
        }
        events?.start()
    }

    deinit { close() }

    /// One transfer out; empty for a zero-length packet.
    public func write(_ bytes: [UInt8], limit: Duration) throws(USBError) {
        guard let bulkOut else { throw .failed("the interface takes no data") }
        let handle = try usable()
        var bytes = bytes
        let sent = try Self.withBytes(&bytes) { buffer throws(USBError) in
            try transfer.run(handle, bulkOut.address, LIBUSB_TRANSFER_TYPE_BULK, buffer, limit: limit)
        }
        guard sent == bytes.count else { throw .failed("only \(sent) of \(bytes.count) bytes went out") }
    }

    /// One transfer in: ends with a short packet or when the buffer, a multiple of the packet size, is full.
    public func read(into buffer: UnsafeMutableRawBufferPointer, limit: Duration) throws(USBError) -> Int {
        guard let bulkIn else { throw .failed("the interface gives no data") }
        return try transfer.run(try usable(), bulkIn.address, LIBUSB_TRANSFER_TYPE_BULK, buffer, limit: limit)
    }

    /// What the interrupt endpoint brought, piece by piece; nil when it is silent or there is none.
    ///
    /// A stall is cleared here.
    public func readEvent(limit: Duration) throws(USBError) -> [UInt8]? {
        guard let events, let endpoint = interface.endpoint(.interrupt, isIn: true) else { return nil }
        _ = try usable()
        do throws(USBError) { return try events.take(limit: limit) } catch .stalled {
            try clearHalt(endpoint)
            events.start()
            return nil
        }
    }

    /// Makes an endpoint usable again after a stall.
    public func clearHalt(_ endpoint: USBEndpoint) throws(USBError) {
        let code = libusb_clear_halt(try usable(), endpoint.address)
        guard code == 0 else { throw USBError(code: code) }
    }

    /// A class request to the interface: sends `data`, or reads up to `expecting` bytes.
    public func classRequest(_ request: UInt8, sending data: [UInt8], expecting: Int, limit: Duration) throws(USBError)
        -> [UInt8]
    {
        let handle = try usable(), isIn = expecting > 0
        let count = UInt16(clamping: isIn ? expecting : data.count), index = UInt16(interface.number)
        // Setup packet (USB 2.0 §9.3): class request to an interface, little-endian.
        var bytes: [UInt8] = [isIn ? 0xA1 : 0x21, request, 0, 0]
        bytes += [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8)]
        bytes += [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)]
        bytes += isIn ? [UInt8](repeating: 0, count: Int(count)) : Array(data.prefix(Int(count)))
        let moved = try Self.withBytes(&bytes) { buffer throws(USBError) in
            try transfer.run(handle, 0, LIBUSB_TRANSFER_TYPE_CONTROL, buffer, limit: limit)
        }
        return isIn ? Array(bytes.dropFirst(8).prefix(moved)) : []
    }

    /// Releases the device.
    ///
    /// Safe to call twice.
    public func close() {
        guard let handle else { return }
        self.handle = nil
        gate.isShut.store(true, ordering: .sequentiallyConsistent)
        events?.stop()
        libusb_release_interface(handle, Int32(interface.number))
        libusb_close(handle)
        Glibc.close(descriptor)
    }

    private func usable() throws(USBError) -> OpaquePointer {
        guard let handle, !gate.isShut.load(ordering: .sequentiallyConsistent) else { throw .gone }
        return handle
    }

    private static func withBytes<R>(
        _ bytes: inout [UInt8], _ body: (UnsafeMutableRawBufferPointer) throws(USBError) -> R
    ) throws(USBError) -> R {
        var result: Result<R, USBError> = .failure(.gone)
        bytes.withUnsafeMutableBytes { buffer in result = Result { () throws(USBError) in try body(buffer) } }
        return try result.get()
    }
}
