import FilmgateCore
import GPhoto2Source
import USBKit

/// What keeps cameras on USB from being used: rights, and whoever holds them.
struct CameraCheckup {
    var host = USBHost()
    var rules = UdevRules.installed

    /// Opens no camera.
    func run(_ report: inout DoctorReport) {
        let cameras = USBCameraBus(host).cameras()
        for (device, interface) in cameras {
            let name = "\(device.label) at usb://\(device.address)"
            guard host.mayOpen(device) else {
                let trouble = USBProblem.denied(device)
                report.note(false, "camera", "", trouble.description)
                continue
            }
            let holders = host.holders(of: device, interface)
            report.note(holders.isEmpty, "camera", "\(name) is free", USBProblem.busy(device, holders).description)
        }
        gphoto(&report)
        if cameras.isEmpty { report.note(true, "camera", "no camera is plugged in", "") }
        if let rules {
            report.note(true, "udev", "cameras are open to the user at this desk: \(rules)", "")
        } else if cameras.allSatisfy({ host.mayOpen($0.device) }) {
            report.note(
                true, "udev", "Filmgate's rules are not installed; needed only where a camera cannot be opened", "")
        } else {
            report.note(false, "udev", "", "Filmgate's rules are not installed. \(UdevRules.advice)")
        }
    }

    /// A program that is there may still not start: it is made for a libgphoto2 that need not be.
    private func gphoto(_ report: inout DoctorReport) {
        guard let program = GPhoto2Source.program else {
            return report.note(
                true, "gphoto2", "filmgate-gphoto2 is not installed; needed only for cameras without PTP", "")
        }
        do throws(IngestError) {
            try GPhoto2Source.trial()
            report.note(true, "gphoto2", "libgphoto2's process is \(program), and answers", "")
        } catch {
            report.note(
                false, "gphoto2", "",
                "\(program) does not work: \(error.message) Is libgphoto2 installed? `ldd \(program)` tells.")
        }
    }
}
