/// What the program asks of the process around libgphoto2.
///
/// Nothing here changes a camera: there is no word for deleting, writing or releasing the shutter.
public enum GPhotoRequest: Sendable, Hashable {
    /// Answered by a `camera` for each, and `done`.
    case detect
    /// Answered by `opened`. An empty model means: what is found at the port.
    case open(model: String, port: String)
    /// Answered by a `file` for each, and `done`.
    case list
    /// Answered by `data` in order, and `done`.
    case read(GPhotoPath, from: UInt64)
    /// Answered by `file` where one has appeared, and `done`, at the latest after so many milliseconds.
    case wait(milliseconds: UInt32)
    /// The camera's own small picture of a file.
    ///
    /// Answered by `data` in order, and `done`.
    case show(GPhotoPath)

    public var frame: Frame {
        var fields: [UInt8] = []
        switch self {
        case .detect: return Frame(1)
        case .open(let model, let port):
            fields.append(counted: Array(model.utf8))
            fields.append(counted: Array(port.utf8))
            return Frame(2, fields)
        case .list: return Frame(3)
        case .read(let path, let offset):
            path.write(to: &fields)
            fields.append(little: offset)
            return Frame(4, fields)
        case .wait(let milliseconds):
            fields.append(little: milliseconds)
            return Frame(5, fields)
        case .show(let path):
            path.write(to: &fields)
            return Frame(6, fields)
        }
    }

    public init(_ frame: Frame) throws(WireError) {
        var reader = FieldReader(frame.fields)
        switch frame.kind {
        case 1: self = .detect
        case 2: self = .open(model: try reader.text(), port: try reader.text())
        case 3: self = .list
        case 4: self = .read(try GPhotoPath(&reader), from: try reader.long())
        case 5: self = .wait(milliseconds: try reader.word())
        case 6: self = .show(try GPhotoPath(&reader))
        default: throw .malformed
        }
    }
}

/// What it answers.
public enum GPhotoReply: Sendable, Hashable {
    case camera(model: String, port: String)
    case opened(GPhotoBody)
    case file(GPhotoFile)
    case data([UInt8])
    case done
    /// libgphoto2's number and words.
    case failed(code: Int32, text: String)

    /// In place of libgphoto2's number: nothing was listed because the camera has no card.
    public static let noCard: Int32 = -9001

    public var frame: Frame {
        var fields: [UInt8] = []
        switch self {
        case .camera(let model, let port):
            fields.append(counted: Array(model.utf8))
            fields.append(counted: Array(port.utf8))
            return Frame(65, fields)
        case .opened(let body):
            for text in [body.make, body.model, body.serial] { fields.append(counted: Array(text.utf8)) }
            return Frame(66, fields)
        case .file(let file):
            file.path.write(to: &fields)
            fields.append(little: file.size)
            fields.append(little: UInt64(bitPattern: file.seconds))
            return Frame(67, fields)
        case .data(let bytes): return Frame(68, bytes)
        case .done: return Frame(69)
        case .failed(let code, let text):
            fields.append(little: UInt32(bitPattern: code))
            fields.append(counted: Array(text.utf8))
            return Frame(70, fields)
        }
    }

    public init(_ frame: Frame) throws(WireError) {
        var reader = FieldReader(frame.fields)
        switch frame.kind {
        case 65: self = .camera(model: try reader.text(), port: try reader.text())
        case 66:
            self = .opened(GPhotoBody(make: try reader.text(), model: try reader.text(), serial: try reader.text()))
        case 67:
            let path = try GPhotoPath(&reader)
            self = .file(GPhotoFile(path: path, size: try reader.long(), seconds: Int64(bitPattern: try reader.long())))
        case 68: self = .data(frame.fields)
        case 69: self = .done
        case 70: self = .failed(code: Int32(bitPattern: try reader.word()), text: try reader.text())
        default: throw .malformed
        }
    }
}

/// A file as libgphoto2 names it; bytes, because cameras write what they like.
public struct GPhotoPath: Sendable, Hashable {
    public var folder: [UInt8], name: [UInt8]

    public init(folder: [UInt8], name: [UInt8]) { (self.folder, self.name) = (folder, name) }

    init(_ reader: inout FieldReader) throws(WireError) {
        (folder, name) = (try reader.counted(), try reader.counted())
    }

    func write(to fields: inout [UInt8]) {
        fields.append(counted: folder)
        fields.append(counted: name)
    }
}

public struct GPhotoFile: Sendable, Hashable {
    /// Of a file whose camera does not say how large it is.
    public static let unknownSize = UInt64.max

    public var path: GPhotoPath
    /// Bytes.
    public var size: UInt64
    /// Of the camera's civil time since 1970, as if it were UTC; 0 where unknown.
    public var seconds: Int64

    public init(path: GPhotoPath, size: UInt64, seconds: Int64) {
        (self.path, self.size, self.seconds) = (path, size, seconds)
    }
}

/// What the camera says about itself; empty where it says nothing.
public struct GPhotoBody: Sendable, Hashable {
    public var make: String, model: String, serial: String
    public init(make: String = "", model: String = "", serial: String = "") {
        (self.make, self.model, self.serial) = (make, model, serial)
    }
}
