/// A property of an object, MTP 1.1 appendix B.
public struct ObjectPropertyCode: PTPCode {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let storageID = Self(0xDC01)
    public static let objectFormat = Self(0xDC02)
    public static let protectionStatus = Self(0xDC03)
    public static let objectSize = Self(0xDC04)
    public static let associationType = Self(0xDC05)
    public static let associationDesc = Self(0xDC06)
    public static let objectFileName = Self(0xDC07)
    public static let dateCreated = Self(0xDC08)
    public static let dateModified = Self(0xDC09)
    public static let keywords = Self(0xDC0A)
    public static let parentObject = Self(0xDC0B)
    public static let persistentUniqueID = Self(0xDC41)
    public static let name = Self(0xDC44)
    public static let width = Self(0xDC87)
    public static let height = Self(0xDC88)
    public static let rating = Self(0xDC8A)

    public static let names: [UInt16: String] = [
        0xDC01: "StorageID", 0xDC02: "ObjectFormat", 0xDC03: "ProtectionStatus", 0xDC04: "ObjectSize",
        0xDC05: "AssociationType", 0xDC06: "AssociationDesc", 0xDC07: "ObjectFileName", 0xDC08: "DateCreated",
        0xDC09: "DateModified", 0xDC0A: "Keywords", 0xDC0B: "ParentObject", 0xDC41: "PersistentUniqueID",
        0xDC44: "Name", 0xDC87: "Width", 0xDC88: "Height", 0xDC8A: "Rating",
    ]
}
