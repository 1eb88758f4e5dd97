import FilmgateCore
import FilmgateEngine
import FilmgateStudio
import Foundation

/// A question at the control socket: what is still to be read, or the camera's own picture of one frame of it.
///
/// Either is answered by one line. The bytes of a picture are Base64 in it: they are few, and the line's end bounds them
/// as it bounds all that goes over this socket.
enum UpcomingQuestion: Sendable {
    case frames
    case picture(AssetID)

    /// Nil for a line that asks for something else.
    init?(_ line: String) {
        guard let asked = JSONValue(Array(line.utf8))?["upcoming"] else { return nil }
        self = asked.string.map { .picture(AssetID(rawValue: $0)) } ?? .frames
    }

    var line: String {
        var object = JSONWriter()
        switch self {
        case .frames: object.add("upcoming", true)
        case .picture(let asset): object.add("upcoming", asset.rawValue)
        }
        return object.finished
    }

    func answer(_ upcoming: UpcomingFrames) async -> String {
        switch self {
        case .frames:
            let (frames, total) = upcoming.next
            return UpcomingList(frames: frames.map { UpcomingList.Frame($0) }, total: total).line
        case .picture(let asset):
            let asked = await Result { () async throws(IngestError) in try await upcoming.preview(of: asset) }
            switch asked {
            case .success(let bytes?): return UpcomingPicture.bytes(bytes).line
            case .success(nil): return UpcomingPicture.missing.line
            case .failure: return UpcomingPicture.later.line
            }
        }
    }
}

extension UpcomingList {
    var line: String {
        var object = JSONWriter()
        object.add("total", total)
        object.add("frames", objects: frames.map(\.object))
        return object.finished
    }

    /// Nil for a line that says something else.
    init?(_ line: String) {
        guard let object = JSONValue(Array(line.utf8)), let total = object["total"]?.whole,
            let items = object["frames"]?.items
        else { return nil }
        self.init(frames: items.prefix(UpcomingFrames.most).compactMap { Frame($0) }, total: Int(clamping: total))
    }
}

extension UpcomingList.Frame {
    fileprivate init(_ frame: UpcomingFrames.Frame) {
        self.init(
            asset: frame.origin.id, name: frame.origin.name, kind: frame.kind, size: frame.origin.size,
            source: frame.source)
        isBegun = frame.isBegun
    }

    fileprivate init?(_ object: JSONValue) {
        guard let asset = object["asset"]?.string, let name = object["name"]?.string,
            let kind = object["kind"]?.string.flatMap({ MediaKind(rawValue: $0) })
        else { return nil }
        self.init(
            asset: AssetID(rawValue: asset), name: name, kind: kind,
            size: UInt64(clamping: object["size"]?.whole ?? 0), source: object["source"]?.string ?? "")
        isBegun = object["begun"]?.flag ?? false
    }

    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.add("asset", asset.rawValue)
        object.add("name", name)
        object.add("kind", kind.rawValue)
        object.add("size", size)
        object.add("source", source)
        object.add("begun", isBegun)
        return object
    }
}

extension UpcomingPicture {
    var line: String {
        var object = JSONWriter()
        switch self {
        case .bytes(let bytes): object.add("picture", Data(bytes).base64EncodedString())
        case .missing: object.add("picture", String?.none)
        case .later: object.add("later", true)
        }
        return object.finished
    }

    /// Nil for a line that says something else.
    init?(_ line: String) {
        guard let object = JSONValue(Array(line.utf8)) else { return nil }
        if object["later"]?.flag == true {
            self = .later
        } else if let text = object["picture"]?.string {
            guard let bytes = Data(base64Encoded: text), bytes.count <= UpcomingFrames.mostBytes else { return nil }
            self = .bytes(Array(bytes))
        } else if object["picture"] != nil {
            self = .missing
        } else {
            return nil
        }
    }
}
