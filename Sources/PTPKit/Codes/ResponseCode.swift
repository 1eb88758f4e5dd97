/// The code of a response, ISO 15740 §11 and MTP 1.1 appendix F.
public struct ResponseCode: PTPCode {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let undefined = Self(0x2000)
    public static let ok = Self(0x2001)
    public static let generalError = Self(0x2002)
    public static let sessionNotOpen = Self(0x2003)
    public static let invalidTransactionID = Self(0x2004)
    public static let operationNotSupported = Self(0x2005)
    public static let parameterNotSupported = Self(0x2006)
    public static let incompleteTransfer = Self(0x2007)
    public static let invalidStorageID = Self(0x2008)
    public static let invalidObjectHandle = Self(0x2009)
    public static let devicePropNotSupported = Self(0x200A)
    public static let invalidObjectFormat = Self(0x200B)
    public static let storeFull = Self(0x200C)
    public static let objectWriteProtected = Self(0x200D)
    public static let storeReadOnly = Self(0x200E)
    public static let accessDenied = Self(0x200F)
    public static let noThumbnail = Self(0x2010)
    public static let selfTestFailed = Self(0x2011)
    public static let partialDeletion = Self(0x2012)
    public static let storeNotAvailable = Self(0x2013)
    public static let specificationByFormatUnsupported = Self(0x2014)
    public static let noValidObjectInfo = Self(0x2015)
    public static let invalidCodeFormat = Self(0x2016)
    public static let unknownVendorCode = Self(0x2017)
    public static let captureAlreadyTerminated = Self(0x2018)
    public static let deviceBusy = Self(0x2019)
    public static let invalidParent = Self(0x201A)
    public static let invalidPropFormat = Self(0x201B)
    public static let invalidPropValue = Self(0x201C)
    public static let invalidParameter = Self(0x201D)
    public static let sessionAlreadyOpen = Self(0x201E)
    public static let transactionCancelled = Self(0x201F)
    public static let specificationOfDestinationUnsupported = Self(0x2020)
    public static let invalidEnumHandle = Self(0x2021)
    public static let noStreamEnabled = Self(0x2022)
    public static let invalidDataset = Self(0x2023)
    public static let invalidObjectPropCode = Self(0xA801)
    public static let invalidObjectPropFormat = Self(0xA802)
    public static let invalidObjectPropValue = Self(0xA803)
    public static let invalidObjectReference = Self(0xA804)
    public static let invalidObjectPropDataset = Self(0xA806)
    public static let groupUnsupported = Self(0xA807)
    public static let depthUnsupported = Self(0xA808)
    public static let objectTooLarge = Self(0xA809)
    public static let objectPropNotSupported = Self(0xA80A)

    public static let names: [UInt16: String] = [
        0x2000: "Undefined", 0x2001: "Ok", 0x2002: "GeneralError", 0x2003: "SessionNotOpen",
        0x2004: "InvalidTransactionID", 0x2005: "OperationNotSupported", 0x2006: "ParameterNotSupported",
        0x2007: "IncompleteTransfer", 0x2008: "InvalidStorageID", 0x2009: "InvalidObjectHandle",
        0x200A: "DevicePropNotSupported", 0x200B: "InvalidObjectFormat", 0x200C: "StoreFull",
        0x200D: "ObjectWriteProtected", 0x200E: "StoreReadOnly", 0x200F: "AccessDenied", 0x2010: "NoThumbnail",
        0x2011: "SelfTestFailed", 0x2012: "PartialDeletion", 0x2013: "StoreNotAvailable",
        0x2014: "SpecificationByFormatUnsupported", 0x2015: "NoValidObjectInfo", 0x2016: "InvalidCodeFormat",
        0x2017: "UnknownVendorCode", 0x2018: "CaptureAlreadyTerminated", 0x2019: "DeviceBusy", 0x201A: "InvalidParent",
        0x201B: "InvalidPropFormat", 0x201C: "InvalidPropValue", 0x201D: "InvalidParameter",
        0x201E: "SessionAlreadyOpen", 0x201F: "TransactionCancelled", 0x2020: "SpecificationOfDestinationUnsupported",
        0x2021: "InvalidEnumHandle", 0x2022: "NoStreamEnabled", 0x2023: "InvalidDataset",
        0xA801: "InvalidObjectPropCode", 0xA802: "InvalidObjectPropFormat", 0xA803: "InvalidObjectPropValue",
        0xA804: "InvalidObjectReference", 0xA806: "InvalidObjectPropDataset", 0xA807: "GroupUnsupported",
        0xA808: "DepthUnsupported", 0xA809: "ObjectTooLarge", 0xA80A: "ObjectPropNotSupported",
    ]
}
