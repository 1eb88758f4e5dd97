import CLibUSB
import Dispatch
import Synchronization

/// libusb, set up once, with the thread on which its transfers end and its news arrive.
///
/// Lives as long as the host or any connection does.
final class EventLoop: Sendable {
    // Only handed to libusb, which locks for itself.
    private struct Context: @unchecked Sendable { let raw: OpaquePointer }
    private final class Stop: Sendable { let flag = Atomic(false) }

    private let context: Context
    private let stop = Stop()
    private let queue = DispatchQueue(label: "filmgate.usb.events")
    private let signal: HotPlugSignal
    private let registration: Int32?
    var raw: OpaquePointer { context.raw }
    /// True when libusb tells about devices that come and go.
    var tellsNews: Bool { registration != nil }

    init(signal: HotPlugSignal) throws(USBError) {
        var made: OpaquePointer?
        let code = libusb_init(&made)
        guard code == 0, let made else { throw USBError(code: code) }
        context = Context(raw: made)
        self.signal = signal
        registration = Self.listen(made, signal)
        queue.async { [context, stop] in
            while !stop.flag.load(ordering: .relaxed) {
                var limit = timeval(tv_sec: 1, tv_usec: 0)
                libusb_handle_events_timeout_completed(context.raw, &limit, nil)
            }
        }
    }

    deinit {
        if let registration { libusb_hotplug_deregister_callback(raw, registration) }
        stop.flag.store(true, ordering: .relaxed)
        libusb_interrupt_event_handler(raw)
        queue.sync {}
        libusb_exit(raw)
    }

    private static func listen(_ context: OpaquePointer, _ signal: HotPlugSignal) -> Int32? {
        guard libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG.rawValue) != 0 else { return nil }
        var handle: libusb_hotplug_callback_handle = 0
        let events = LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED.rawValue | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT.rawValue
        let any = LIBUSB_HOTPLUG_MATCH_ANY
        let code = libusb_hotplug_register_callback(
            context, Int32(events), 0, any, any, any,
            { _, _, _, data in
                if let data { Unmanaged<HotPlugSignal>.fromOpaque(data).takeUnretainedValue().ring() }
                return 0
            }, Unmanaged.passUnretained(signal).toOpaque(), &handle)
        return code == 0 ? handle : nil
    }
}

/// Passes on that something was plugged in or out.
final class HotPlugSignal: Sendable {
    private let listeners = Mutex<(next: Int, all: [Int: @Sendable () -> Void])>((0, [:]))

    func ring() { for listener in listeners.withLock({ Array($0.all.values) }) { listener() } }

    func listen(_ body: @escaping @Sendable () -> Void) -> Int {
        listeners.withLock { state in
            state.next += 1
            state.all[state.next] = body
            return state.next
        }
    }

    func unlisten(_ number: Int) { listeners.withLock { _ = $0.all.removeValue(forKey: number) } }
}
