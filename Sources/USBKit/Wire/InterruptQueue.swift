import CLibUSB
import Dispatch
import Synchronization

/// Keeps a transfer waiting on the interrupt endpoint, and what it brought until somebody asks.
///
/// Bounded: when nobody asks, the oldest are dropped.
// `raw` and `buffer` belong to libusb from `start` until the transfer has ended, and to nobody else meanwhile.
final class InterruptQueue: @unchecked Sendable {
    private enum Phase { case idle, waiting, stalled, closing, over }
    private struct State { var phase = Phase.idle, pieces: [[UInt8]] = [] }
    private static let limit = 1024

    private let raw: UnsafeMutablePointer<libusb_transfer>
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let loop: EventLoop

    init(_ handle: OpaquePointer, _ endpoint: USBEndpoint, _ loop: EventLoop) throws(USBError) {
        self.loop = loop
        guard let raw = libusb_alloc_transfer(0) else { throw .failed("no memory for a transfer") }
        self.raw = raw
        buffer = .allocate(capacity: max(64, endpoint.packetSize))
        raw.pointee.dev_handle = handle
        raw.pointee.endpoint = endpoint.address
        raw.pointee.type = UInt8(truncatingIfNeeded: LIBUSB_TRANSFER_TYPE_INTERRUPT.rawValue)
        raw.pointee.buffer = buffer.baseAddress
        // A multiple of the packet: a device that sends more than it was asked for would overflow.
        raw.pointee.length = Int32(buffer.count / max(1, endpoint.packetSize) * max(1, endpoint.packetSize))
        raw.pointee.callback = { transfer in
            guard let data = transfer?.pointee.user_data else { return }
            Unmanaged<InterruptQueue>.fromOpaque(data).takeUnretainedValue().finished()
        }
    }

    deinit {
        libusb_free_transfer(raw)
        buffer.deallocate()
    }

    /// Begins to listen, or goes on after a stall was cleared.
    func start() {
        raw.pointee.user_data = Unmanaged.passUnretained(self).toOpaque()
        let isIdle = state.withLock { state in
            guard state.phase == .idle || state.phase == .stalled else { return false }
            state.phase = .waiting
            return true
        }
        guard isIdle, libusb_submit_transfer(raw) != 0 else { return }
        state.withLock { $0.phase = .over }
        ended.signal()
    }

    private func finished() {
        let status = raw.pointee.status
        let piece = Array(buffer.prefix(max(0, Int(raw.pointee.actual_length))))
        var isOver = false
        state.withLock { state in
            if status == LIBUSB_TRANSFER_COMPLETED, !piece.isEmpty {
                if state.pieces.count >= Self.limit { state.pieces.removeFirst(Self.limit / 2) }
                state.pieces.append(piece)
            }
            if status == LIBUSB_TRANSFER_STALL { state.phase = .stalled }
            let goesOn =
                status == LIBUSB_TRANSFER_COMPLETED && state.phase == .waiting && libusb_submit_transfer(raw) == 0
            if !goesOn, state.phase != .stalled {
                state.phase = .over
                isOver = true
            }
        }
        news.signal()
        if isOver { ended.signal() }
    }

    /// The next piece, waiting up to `limit` for it; nil when there is none.
    ///
    /// `stalled` once after a stall; `gone` when none can come any more.
    func take(limit: Duration) throws(USBError) -> [UInt8]? {
        let deadline = ContinuousClock.now + limit
        while true {
            let (piece, phase) = state.withLock { ($0.pieces.isEmpty ? nil : $0.pieces.removeFirst(), $0.phase) }
            if let piece { return piece }
            if phase == .stalled { throw .stalled }
            if phase == .over || phase == .closing { throw .gone }
            let left = (deadline - .now).components
            let nanoseconds = Int(left.seconds) * 1_000_000_000 + Int(left.attoseconds / 1_000_000_000)
            guard nanoseconds > 0, news.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else {
                return nil
            }
        }
    }

    /// Ends listening; returns when libusb has let go of the transfer, after three seconds in any case.
    func stop() {
        cancel()
        guard state.withLock({ $0.phase == .closing }), ended.wait(timeout: .now() + .seconds(3)) == .timedOut else {
            return
        }
        // The kernel keeps the transfer: what belongs to it must stay where it is.
        _ = Unmanaged.passRetained(self)
    }

    /// Wakes who waits, without waiting for anything; from any thread.
    func cancel() {
        let isUnderWay = state.withLock { state in
            let was = state.phase
            state.phase = was == .waiting || was == .closing ? .closing : .over
            return was == .waiting
        }
        if isUnderWay { libusb_cancel_transfer(raw) }
    }
}
