import CLibUSB

/// How a device cannot be had, or a transfer fails.
public enum USBError: Error, Sendable, Hashable {
    case stalled, timedOut, gone, overflow
    /// Somebody else holds the interface.
    case busy([DeviceHolder])
    /// This user may not open the device's file.
    case denied(String)
    /// What libusb says, in its words.
    case failed(String)

    init(code: Int32) {
        switch code {
        case LIBUSB_ERROR_PIPE.rawValue: self = .stalled
        case LIBUSB_ERROR_TIMEOUT.rawValue: self = .timedOut
        case LIBUSB_ERROR_NO_DEVICE.rawValue: self = .gone
        case LIBUSB_ERROR_OVERFLOW.rawValue: self = .overflow
        case LIBUSB_ERROR_BUSY.rawValue: self = .busy([])
        default: self = .failed(String(cString: libusb_strerror(code)))
        }
    }

    /// Nil when the transfer went through.
    init?(status: libusb_transfer_status) {
        switch status {
        case LIBUSB_TRANSFER_COMPLETED: return nil
        case LIBUSB_TRANSFER_TIMED_OUT: self = .timedOut
        case LIBUSB_TRANSFER_STALL: self = .stalled
        case LIBUSB_TRANSFER_OVERFLOW: self = .overflow
        case LIBUSB_TRANSFER_CANCELLED, LIBUSB_TRANSFER_NO_DEVICE: self = .gone
        default: self = .failed("the transfer broke off")
        }
    }
}
