/// An operation, ISO 15740 §10 and MTP 1.1 appendix D; open, because makers add their own.
public struct OperationCode: PTPCode {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let getDeviceInfo = Self(0x1001)
    public static let openSession = Self(0x1002)
    public static let closeSession = Self(0x1003)
    public static let getStorageIDs = Self(0x1004)
    public static let getStorageInfo = Self(0x1005)
    public static let getNumObjects = Self(0x1006)
    public static let getObjectHandles = Self(0x1007)
    public static let getObjectInfo = Self(0x1008)
    public static let getObject = Self(0x1009)
    public static let getThumb = Self(0x100A)
    public static let deleteObject = Self(0x100B)
    public static let sendObjectInfo = Self(0x100C)
    public static let sendObject = Self(0x100D)
    public static let initiateCapture = Self(0x100E)
    public static let formatStore = Self(0x100F)
    public static let resetDevice = Self(0x1010)
    public static let selfTest = Self(0x1011)
    public static let setObjectProtection = Self(0x1012)
    public static let powerDown = Self(0x1013)
    public static let getDevicePropDesc = Self(0x1014)
    public static let getDevicePropValue = Self(0x1015)
    public static let setDevicePropValue = Self(0x1016)
    public static let resetDevicePropValue = Self(0x1017)
    public static let terminateOpenCapture = Self(0x1018)
    public static let moveObject = Self(0x1019)
    public static let copyObject = Self(0x101A)
    public static let getPartialObject = Self(0x101B)
    public static let initiateOpenCapture = Self(0x101C)
    public static let startEnumHandles = Self(0x101D)
    public static let enumHandles = Self(0x101E)
    public static let stopEnumHandles = Self(0x101F)
    public static let getVendorExtensionMaps = Self(0x1020)
    public static let getVendorDeviceInfo = Self(0x1021)
    public static let getResizedImageObject = Self(0x1022)
    public static let getFilesystemManifest = Self(0x1023)
    public static let getStreamInfo = Self(0x1024)
    public static let getStream = Self(0x1025)
    public static let getObjectPropsSupported = Self(0x9801)
    public static let getObjectPropDesc = Self(0x9802)
    public static let getObjectPropValue = Self(0x9803)
    public static let setObjectPropValue = Self(0x9804)
    public static let getObjectPropList = Self(0x9805)
    public static let setObjectPropList = Self(0x9806)
    public static let getInterdependentPropDesc = Self(0x9807)
    public static let sendObjectPropList = Self(0x9808)
    public static let getObjectReferences = Self(0x9810)
    public static let setObjectReferences = Self(0x9811)
    public static let skip = Self(0x9820)
    public static let getPartialObject64 = Self(0x95C1)
    public static let sendPartialObject = Self(0x95C2)
    public static let truncateObject = Self(0x95C3)
    public static let beginEditObject = Self(0x95C4)
    public static let endEditObject = Self(0x95C5)

    public static let names: [UInt16: String] = [
        0x1001: "GetDeviceInfo", 0x1002: "OpenSession", 0x1003: "CloseSession", 0x1004: "GetStorageIDs",
        0x1005: "GetStorageInfo", 0x1006: "GetNumObjects", 0x1007: "GetObjectHandles", 0x1008: "GetObjectInfo",
        0x1009: "GetObject", 0x100A: "GetThumb", 0x100B: "DeleteObject", 0x100C: "SendObjectInfo", 0x100D: "SendObject",
        0x100E: "InitiateCapture", 0x100F: "FormatStore", 0x1010: "ResetDevice", 0x1011: "SelfTest",
        0x1012: "SetObjectProtection", 0x1013: "PowerDown", 0x1014: "GetDevicePropDesc", 0x1015: "GetDevicePropValue",
        0x1016: "SetDevicePropValue", 0x1017: "ResetDevicePropValue", 0x1018: "TerminateOpenCapture",
        0x1019: "MoveObject", 0x101A: "CopyObject", 0x101B: "GetPartialObject", 0x101C: "InitiateOpenCapture",
        0x101D: "StartEnumHandles", 0x101E: "EnumHandles", 0x101F: "StopEnumHandles", 0x1020: "GetVendorExtensionMaps",
        0x1021: "GetVendorDeviceInfo",
        0x1022: "GetResizedImageObject", 0x1023: "GetFilesystemManifest", 0x1024: "GetStreamInfo", 0x1025: "GetStream",
        0x9801: "GetObjectPropsSupported", 0x9802: "GetObjectPropDesc", 0x9803: "GetObjectPropValue",
        0x9804: "SetObjectPropValue", 0x9805: "GetObjectPropList", 0x9806: "SetObjectPropList",
        0x9807: "GetInterdependentPropDesc", 0x9808: "SendObjectPropList", 0x9810: "GetObjectReferences",
        0x9811: "SetObjectReferences", 0x9820: "Skip", 0x95C1: "GetPartialObject64", 0x95C2: "SendPartialObject",
        0x95C3: "TruncateObject", 0x95C4: "BeginEditObject", 0x95C5: "EndEditObject",
    ]
}
