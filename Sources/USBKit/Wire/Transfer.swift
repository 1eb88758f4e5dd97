import CLibUSB
import Dispatch

/// One transfer at a time, waited for by the thread that asked for it; ended early by any other.
// Only the asking thread touches `raw` between transfers; libusb hands it back through the semaphore.
final class Transfer: @unchecked Sendable {
    private let raw: UnsafeMutablePointer<libusb_transfer>
    private let done = DispatchSemaphore(value: 0)

    private let loop: EventLoop

    /// Keeps the loop that ends its transfers, which must outlive them.
    init(_ loop: EventLoop) throws(USBError) {
        self.loop = loop
        guard let raw = libusb_alloc_transfer(0) else { throw .failed("no memory for a transfer") }
        self.raw = raw
    }

    deinit { libusb_free_transfer(raw) }

    /// Moves `buffer` and returns the bytes that went.
    ///
    /// Blocks up to `limit`, or until `cancel`.
    func run(
        _ handle: OpaquePointer, _ endpoint: UInt8, _ type: libusb_transfer_type,
        _ buffer: UnsafeMutableRawBufferPointer, limit: Duration
    ) throws(USBError) -> Int {
        raw.pointee.dev_handle = handle
        raw.pointee.endpoint = endpoint
        raw.pointee.type = UInt8(truncatingIfNeeded: type.rawValue)
        raw.pointee.timeout = Self.milliseconds(limit)
        raw.pointee.buffer = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        raw.pointee.length = Int32(clamping: buffer.count)
        raw.pointee.user_data = Unmanaged.passUnretained(self).toOpaque()
        raw.pointee.callback = { transfer in
            guard let data = transfer?.pointee.user_data else { return }
            Unmanaged<Transfer>.fromOpaque(data).takeUnretainedValue().done.signal()
        }
        let code = libusb_submit_transfer(raw)
        guard code == 0 else { throw USBError(code: code) }
        done.wait()
        if let error = USBError(status: raw.pointee.status) { throw error }
        return Int(raw.pointee.actual_length)
    }

    /// Ends what is under way; from any thread, any time.
    func cancel() { libusb_cancel_transfer(raw) }

    /// Zero would mean for ever.
    private static func milliseconds(_ limit: Duration) -> UInt32 {
        let parts = limit.components
        return UInt32(clamping: max(1, parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000))
    }
}
