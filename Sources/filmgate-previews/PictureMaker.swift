import PreviewWire

/// Makes small upright pictures of JPEGs and HEIFs.
final class PictureMaker {
    struct Picture { var width: Int, height: Int, jpeg: [UInt8] }

    private let decoder: JPEGDecoder, encoder: JPEGEncoder
    private static let mostPixels = 200_000_000
    /// Bytes that a picture of several scans may take, which is decoded as a whole.
    private static let mostKept = 320 << 20
    /// Bytes that the pixels of one may take while they are decoded: all of it has to fit into this process.
    private static let mostDecoded = 288 << 20, mostTogether = 384 << 20

    init?() {
        guard let decoder = JPEGDecoder(), let encoder = JPEGEncoder() else { return nil }
        self.decoder = decoder
        self.encoder = encoder
    }

    func make(_ request: PreviewRequest, of bytes: [UInt8]) -> (PreviewReply.Outcome, Picture?) {
        HEIFDecoder.takes(bytes) ? make(request, ofHEIF: bytes) : make(request, ofJPEG: bytes)
    }

    private func make(_ request: PreviewRequest, ofHEIF bytes: [UInt8]) -> (PreviewReply.Outcome, Picture?) {
        do throws(HEIFDecoder.Failure) {
            let (whole, profile) = try HEIFDecoder(bytes).decode(request.longEdge)
            return encoded(whole.fitting(request.longEdge).upright(request.orientation), request, profile, .done)
        } catch { return (error == .tooLarge ? .tooLarge : .undecodable, nil) }
    }

    private func make(_ request: PreviewRequest, ofJPEG jpeg: [UInt8]) -> (PreviewReply.Outcome, Picture?) {
        guard let head = JPEGHead(jpeg) else { return (.undecodable, nil) }
        let isKept = head.scans > 1, kept = head.width * head.height * head.components * 2
        guard head.width * head.height <= Self.mostPixels, head.scans <= JPEGHead.mostScans,
            !isKept || kept <= Self.mostKept
        else {
            return (.tooLarge, nil)
        }
        let long = max(head.width, head.height)
        // The decoder makes eighths for little; what is left to scale is never more than that.
        let eighths = (1...8).first { long * $0 / 8 >= request.longEdge } ?? 8
        // Ink becomes red, green and blue beside itself; what is turned stands beside what it was.
        let copies = head.components == 4 ? 7 : request.orientation == 1 ? 3 : 6
        let decoded = head.width * head.height * eighths * eighths / 64 * copies
        guard decoded <= Self.mostDecoded, decoded + (isKept ? kept : 0) <= Self.mostTogether else {
            return (.tooLarge, nil)
        }
        guard let (whole, isWhole) = decoder.decode(jpeg, head, eighths: eighths) else { return (.undecodable, nil) }
        let small = whole.withoutBars(ofMedia: request.width, request.height).fitting(request.longEdge).upright(
            request.orientation)
        return encoded(small, request, head.profile, isWhole ? .done : .damaged)
    }

    private func encoded(
        _ picture: Raster, _ request: PreviewRequest, _ profile: [UInt8], _ outcome: PreviewReply.Outcome
    ) -> (PreviewReply.Outcome, Picture?) {
        guard let bytes = encoder.encode(picture, quality: request.quality, profile: profile),
            bytes.count <= PreviewReply.mostBytes
        else { return (.tooLarge, nil) }
        return (outcome, Picture(width: picture.width, height: picture.height, jpeg: bytes))
    }
}
