public import FilmgateCore

/// What can go wrong between us and a camera.
///
/// Closed: every caller can handle every case.
public enum PTPError: Error, Sendable {
    /// A dataset, container or packet ends before its own fields do; `at` is the byte offset.
    case truncated(at: Int)
    /// Bytes that the standard does not allow, in words.
    case malformed(String)
    /// The camera answered, and its answer was not OK.
    case refused(ResponseCode, during: OperationCode)
    /// The camera does not list the operation.
    case unsupported(OperationCode)
    /// Fewer or more bytes than the camera itself announced.
    case length(expected: UInt64, got: UInt64)
    /// Nothing came within the time that was allowed.
    case timedOut(String)
    /// Nobody answers as a camera at this place.
    case absent(at: String, NoAnswer)
    /// The connection or the device is no longer there.
    case gone(String)
    /// Somebody else holds the device, or it takes no second initiator.
    case busy(String)
    /// The camera or the system does not let us in.
    case denied(String)
    /// What was listed is not there now, or has become something else: what it is, in words. No answer of the camera's.
    case missing(String)
    /// The receiver of the bytes failed, not the camera.
    case sink(IngestError)
}

/// Why nobody answers at an address.
public enum NoAnswer: Sendable, Hashable, CustomStringConvertible {
    /// A machine is there and takes no connection.
    case refused
    case unknownHost
    /// No way leads there.
    case unreachable(String)
    case other(String)

    public var description: String {
        switch self {
        case .refused: "the connection is refused"
        case .unknownHost: "no host of this name is known"
        case .unreachable(let why), .other(let why): why
        }
    }
}

extension PTPError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated(let offset): "The camera's answer ends too early, at byte \(offset)."
        case .malformed(let what): "The camera's answer is not PTP: \(what)."
        case .refused(let code, let operation): "The camera answered \(operation) with \(code)."
        case .unsupported(let operation): "The camera does not offer \(operation)."
        case .length(let expected, let got): "The camera announced \(expected) bytes and sent \(got)."
        case .timedOut(let what): "No answer in time: \(what)."
        case .absent(let place, let why): "No camera answers at \(place): \(why)."
        case .gone(let what): "The camera is gone: \(what)."
        case .busy(let what): "The camera is in use: \(what)."
        case .denied(let what): "The camera refuses the connection: \(what)."
        case .missing(let what): "\(what) is no longer there as it was listed."
        case .sink(let error): error.message
        }
    }

    /// True when the connection cannot be used any more, whatever was being done.
    public var endsConnection: Bool {
        switch self {
        case .absent, .gone, .busy, .denied: true
        default: false
        }
    }

    /// True when a new connection may help.
    var losesSession: Bool {
        switch self {
        case .timedOut, .absent, .gone: true
        case .refused(let code, _): code == .sessionNotOpen || code == .invalidTransactionID
        default: false
        }
    }

    /// The response code, when the camera answered with one.
    public var refusal: ResponseCode? {
        if case .refused(let code, _) = self { code } else { nil }
    }
}

extension IngestError {
    /// The one place where a camera's failure gets the code that the engine acts on.
    public init(_ error: PTPError, camera: String) {
        switch error {
        case .sink(let inner): self = inner
        case .truncated, .malformed: self = .ptp(.protocolViolation, error, camera)
        case .length: self = .ptp(.corruptData, error, camera)
        case .absent(let place, _):
            // An address in front of itself says nothing more.
            self = IngestError(
                .deviceGone,
                camera.hasSuffix(place) || camera.contains("://")
                    ? error.description : "\(camera): \(error.description)",
                advice:
                    "Check the address, that the camera is awake, and that its connection to a computer is switched on.",
                cause: error)
        case .timedOut, .gone:
            self = .ptp(
                .deviceGone, error, camera,
                advice: "Check the cable or the Wi-Fi, and that the camera has not gone to sleep.")
        case .busy:
            self = .ptp(
                .deviceBusy, error, camera,
                advice: "Close other programs that use the camera, or switch it off and on again.")
        case .denied:
            self = .ptp(.accessDenied, error, camera, advice: "Confirm the connection on the camera, or pair it again.")
        case .unsupported: self = .ptp(.unreadable, error, camera)
        case .missing: self = .ptp(.notFound, error, camera)
        case .refused(let code, _): self = .ptp(code.ingestCode, error, camera)
        }
    }

    private static func ptp(_ code: Code, _ error: PTPError, _ camera: String, advice: String? = nil) -> IngestError {
        IngestError(code, "\(camera): \(error.description)", advice: advice, cause: error)
    }
}

extension ResponseCode {
    var ingestCode: IngestError.Code {
        switch self {
        case .deviceBusy, .storeNotAvailable: .deviceBusy
        case .sessionNotOpen, .invalidTransactionID, .sessionAlreadyOpen: .deviceGone
        case .invalidObjectHandle, .invalidStorageID: .notFound
        case .incompleteTransfer, .transactionCancelled: .corruptData
        default: .unreadable
        }
    }
}
