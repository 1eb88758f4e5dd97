import Glibc

/// Who keeps a device to itself: a program that has it open, or a driver of the kernel.
public struct DeviceHolder: Sendable, Hashable {
    /// Zero for a driver.
    public var process: Int
    public var name: String

    public init(process: Int, name: String) { (self.process, self.name) = (process, name) }

    /// What to do so that it lets go.
    public var advice: String {
        if name.hasPrefix("gvfs") || name.hasPrefix("gvfsd") {
            return "The desktop opened the camera as a drive: eject it in the file manager, or for good: "
                + "systemctl --user mask --now gvfs-gphoto2-volume-monitor gvfs-mtp-volume-monitor"
        }
        return process == 0
            ? "The kernel's driver \(name) has it: change the camera's USB mode."
            : "Close \(name) (process \(process))."
    }

    public var description: String { process == 0 ? "the kernel's driver \(name)" : "\(name) (process \(process))" }

    /// Programs other than this one that have the device open, as far as this user may know.
    ///
    /// Reads the process table: some milliseconds.
    public static func all(of device: USBDevice, _ places: USBPlaces = USBPlaces()) -> [DeviceHolder] {
        let node = device.node(below: places.devices), own = Int(getpid())
        var found: [DeviceHolder] = []
        for name in DeviceScan.names(in: places.processes) {
            guard let process = Int(name), process != own else { continue }
            let folder = "\(places.processes)/\(name)"
            let hasIt = DeviceScan.names(in: folder + "/fd").contains { DeviceScan.link("\(folder)/fd/\($0)") == node }
            guard hasIt else { continue }
            found.append(DeviceHolder(process: process, name: programName(folder)))
        }
        return found.sorted { $0.process < $1.process }
    }

    /// The program's file name; the kernel's short name where that is hidden.
    private static func programName(_ folder: String) -> String {
        if let path = DeviceScan.link(folder + "/exe"), let name = path.split(separator: "/").last {
            return String(name)
        }
        let short = DeviceScan.read(folder + "/comm", limit: 64) ?? []
        return String(decoding: short.prefix { $0 >= 0x20 }, as: UTF8.self)
    }
}
