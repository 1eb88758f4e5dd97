package import FilmgateCore
import MediaKit

/// Whether a file is what its name says, where that name would make it worth no copy: a picture may hide behind any
/// name.
package enum HiddenPictureCheck {
    /// What the bytes are where the name says junk or housekeeping; nil when they may well be that.
    ///
    /// Reads the first few bytes.
    package static func content(of path: String, name: String) throws(IngestError) -> String? {
        let head = try FileHead.read(path)
        if let kind = FileSignature.kind(of: head), kind != .sidecar, kind != .other {
            return "its bytes are those of a \(word(kind))"
        }
        guard name.utf8.starts(with: "._".utf8), !head.isEmpty, !isAppleDouble(head), !head.allSatisfy({ $0 == 0 })
        else { return nil }
        return "its bytes are not those of the Mac's attributes"
    }

    /// AppleDouble and AppleSingle.
    private static func isAppleDouble(_ head: [UInt8]) -> Bool {
        head.starts(with: [0x00, 0x05, 0x16, 0x07]) || head.starts(with: [0x00, 0x05, 0x16, 0x00])
    }

    private static func word(_ kind: MediaKind) -> String {
        switch kind {
        case .video: "clip"
        case .audio: "sound"
        default: "picture"
        }
    }
}
