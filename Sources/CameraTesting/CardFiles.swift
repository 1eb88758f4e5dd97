public import VirtualCamera

/// Cards to test with.
public enum CardFiles {
    /// A few shots: RAW+JPEG, a lone JPEG, a clip, a sidecar; one file larger than any chunk.
    public static let few: [(folder: String, file: VirtualFile)] = held([
        ("", VirtualFile("IMG_0001.JPG", .pattern(seed: 1, size: 70_001))),
        ("", VirtualFile("IMG_0001.DNG", .pattern(seed: 2, size: 3_200_000))),
        ("", VirtualFile("IMG_0002.JPG", .pattern(seed: 3, size: 1), date: "20260501T120001")),
        ("", VirtualFile("MVI_0003.MP4", .pattern(seed: 4, size: 5_242_883), date: "20260501T120002")),
        ("", VirtualFile("MVI_0003.XMP", .bytes(Array("<x/>".utf8)), date: "20260501T120002")),
    ])

    /// One file of every kind that bodies write, named as they name them.
    public static let kinds: [(folder: String, file: VirtualFile)] = held(
        [
            "JPG", "NEF", "CR2", "CR3", "ARW", "RAF", "ORF", "RW2", "PEF", "DNG", "HIF", "MOV", "MP4", "AVI", "WAV",
            "XMP", "XML", "THM",
        ]
        .enumerated().map { index, ext in
            (
                "",
                VirtualFile(
                    "KIND_0\(10 + index).\(ext)", .pattern(seed: UInt64(50 + index), size: 20_000 + UInt64(index)))
            )
        })

    /// Computed once and held in memory: foreign clients do not wait long.
    private static func held(_ files: [(folder: String, file: VirtualFile)]) -> [(folder: String, file: VirtualFile)] {
        files.map { folder, file in
            let bytes = file.content.slice(at: 0, count: Int(file.content.size))
            return (folder, VirtualFile(file.name, .bytes(bytes), date: file.date))
        }
    }

    /// One shot as a burst delivers it.
    public static func shot(_ number: Int, raw: String = "DNG") -> [VirtualFile] {
        let name = "IMG_" + String(String(10_000 + number).dropFirst())
        let date = "20260502T1200" + String(String(100 + number % 60).dropFirst())
        return [
            VirtualFile(
                name + "." + raw, .pattern(seed: UInt64(number) * 2, size: 300_000 + UInt64(number)), date: date),
            VirtualFile(
                name + ".JPG", .pattern(seed: UInt64(number) * 2 + 1, size: 90_000 + UInt64(number)), date: date),
        ]
    }
}
