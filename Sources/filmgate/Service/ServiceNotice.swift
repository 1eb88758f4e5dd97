import Dispatch
import Glibc
import Synchronization

/// Tells systemd how a service fares (sd_notify(3)); does nothing when no one listens.
enum ServiceNotice {
    private static let isStopping = Mutex(false)

    /// What a run that stops was just about to say counts no longer.
    private static var isGoing: Bool { !isStopping.withLock(\.self) }

    static func ready(paused: Bool) {
        guard isGoing else { return }
        tell(
            "READY=1\nSTATUS="
                + (paused ? "Paused: nothing new is taken; deliveries continue." : "Taking from all sources."))
    }

    /// Said once.
    static func stopping() {
        let isFirst = isStopping.withLock { isStopping in
            defer { isStopping = true }
            return !isStopping
        }
        if isFirst { tell("STOPPING=1\nSTATUS=Finishing what is in flight.") }
    }

    static func alive() { tell("WATCHDOG=1") }

    static func reloading() {
        guard isGoing else { return }
        tell("RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1000)")
    }

    /// How often `alive` is expected, halved; nil when it is not.
    static var interval: Duration? {
        guard let text = UserPath.environment("WATCHDOG_USEC"), let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let pid = UserPath.environment("WATCHDOG_PID"), Int32(pid) != getpid() { return nil }
        return .microseconds(microseconds / 2)
    }

    private static func tell(_ text: String) {
        guard let path = UserPath.environment("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@"),
            path.utf8.count < 107
        else {
            return
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        // A name in the kernel's own space begins with a zero byte.
        if path.hasPrefix("@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let message = Array(text.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, size)
            }
        }
    }
}
