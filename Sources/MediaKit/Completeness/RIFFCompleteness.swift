/// RIFF files: the outer chunk fits; long AVIs consist of several in a row.
enum RIFFCompleteness {
    static func check(_ file: ByteRegion) -> Completeness {
        var place: UInt64 = 0
        for _ in 0..<4096 {
            guard place < file.count else { return .complete }
            guard let head = file.bytes(place, 8), head.starts(with: "RIFF") || head.starts(with: "RF64"),
                let size = head.u32(4, .little)
            else {
                return place > 0 ? .complete : .unknown
            }
            // Both mean that the recorder never came back to fill it in, or that the size stands elsewhere.
            if size == 0 || size == .max {
                return head.starts(with: "RF64") ? .unknown : .truncated("The recording was not finished.")
            }
            let end = place + 8 + UInt64(size)
            if end > file.count { return .truncated("The data runs past the end of the file.") }
            place = end + UInt64(size & 1)
        }
        return .unknown
    }
}
