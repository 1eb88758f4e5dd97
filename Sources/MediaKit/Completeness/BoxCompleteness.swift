/// ISO base media files: the boxes at the top fit into the file exactly, and those that must be there are.
enum BoxCompleteness {
    static func checkMovie(_ file: ByteRegion) -> Completeness {
        let boxes = boxes(of: file)
        if let last = boxes.last, last.overruns {
            return .truncated("The box `\(last.type)` runs past the end of the file.")
        }
        if boxes["moov"] == nil {
            return boxes["moof"] == nil
                ? .truncated("The index (`moov`) is missing: the recording was not finished.") : .unknown
        }
        if boxes["mdat"] == nil { return .truncated("The recording itself (`mdat`) is missing.") }
        return rest(of: file, after: boxes)
    }

    static func checkImage(_ file: ByteRegion) -> Completeness {
        let boxes = boxes(of: file)
        if let last = boxes.last, last.overruns {
            return .truncated("The box `\(last.type)` runs past the end of the file.")
        }
        guard let meta = boxes["meta"] else { return .truncated("The index (`meta`) is missing.") }
        if let location = meta.children(from: 4)["iloc"]?.body {
            var outside = false
            ItemLocations(location).forEach { _, place, _ in
                if place.method == 0, file.part(place.offset, place.length) == nil { outside = true }
                return !outside
            }
            if outside { return .truncated("A part of the picture lies behind the end of the file.") }
        }
        return rest(of: file, after: boxes)
    }

    private static let known: Set<FourCC> = [
        "ftyp", "moov", "mdat", "moof", "mfra", "meta", "uuid", "free", "skip", "wide", "pnot", "udta",
    ]

    /// Behind the first box the bytes of a trailer may look like a box of no known type that is too long: it is left
    /// out.
    private static func boxes(of file: ByteRegion) -> [Box] {
        let boxes = Box.all(in: file)
        guard let last = boxes.last, last.overruns, boxes.count > 1, !known.contains(last.type) else { return boxes }
        return boxes.dropLast()
    }

    /// Trailers that are no boxes are allowed; a header cut in two is not.
    private static func rest(of file: ByteRegion, after boxes: [Box]) -> Completeness {
        guard let end = boxes.last?.end, end < file.count else { return .complete }
        return file.count - end < 8 && file.upTo(8, at: end).array.contains { $0 != 0 }
            ? .truncated("The last box breaks off.") : .complete
    }
}

extension FourCC: CustomStringConvertible {
    var description: String {
        String(String.UnicodeScalarView([24, 16, 8, 0].map { Unicode.Scalar(UInt8(truncatingIfNeeded: value >> $0)) }))
    }
}
