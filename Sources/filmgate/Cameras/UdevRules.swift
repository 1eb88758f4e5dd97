import Glibc

/// The rules that let the person at the screen, and the group `plugdev`, open cameras.
enum UdevRules {
    static let name = "70-filmgate-cameras.rules"
    /// Where udev looks, its own order.
    static let folders = [
        "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
        "/lib/udev/rules.d",
    ]
    static let advice =
        "Install the rules and plug the camera in again: filmgate doctor --udev-rules | sudo tee /etc/udev/rules.d/\(name) "
        + "&& sudo udevadm control --reload"

    /// Must come after udev's own look at the device and before 73-seat-late.rules, which gives `uaccess` its meaning.
    static let text = """
        # Cameras: still image class (PTP), MTP, and what libgphoto2's own list names. For the person at the desk, and for group plugdev.
        ACTION=="remove", GOTO="filmgate_end"
        SUBSYSTEM!="usb", GOTO="filmgate_end"
        ENV{DEVTYPE}!="usb_device", GOTO="filmgate_end"
        ENV{ID_USB_INTERFACES}=="*:060101:*", GOTO="filmgate_camera"
        ENV{ID_MTP_DEVICE}=="1", GOTO="filmgate_camera"
        ENV{ID_GPHOTO2}=="1", GOTO="filmgate_camera"
        GOTO="filmgate_end"
        LABEL="filmgate_camera"
        MODE="0660", GROUP="plugdev", TAG+="uaccess"
        LABEL="filmgate_end"
        """

    /// The rules file that is in force; nil when there is none.
    static var installed: String? { folders.map { $0 + "/" + name }.first { access($0, R_OK) == 0 } }
}
