import Foundation
import Testing

@Suite struct WordTests {
    /// Makers are named in modules, pipelines and fixtures only.
    ///
    /// File formats keep the names that their bytes spell.
    static let makers = [
        "canon", "nikon", "sony", "fuji", "olympus", "panasonic", "pentax", "leica", "hasselblad", "gopro", "minolta", "ricoh", "samsung",
        "kodak",
    ]
    static let spelled = [
        "ICANON", "FUJIFILMCCD-RAW", "canonical", "Canonical", "NIKON###.DSC", "SONYCARD.IND", "GET_STARTED_WITH_GOPRO*.URL",
    ]

    @Test(
        arguments: Repository.code.filter { $0.path.hasPrefix("Sources/") && !$0.isFixture && !$0.path.hasSuffix("filmgate/Modules.swift") }
    )
    func noMakerInGenericLayers(_ file: Repository.File) {
        let text = Self.spelled.reduce(file.text) { $0.replacingOccurrences(of: $1, with: "") }.lowercased()
        for maker in Self.makers { #expect(text.range(of: maker) == nil, "\(file.path) names a maker: \(maker)") }
    }

    /// Left-overs of work, and paths that exist on one machine only.
    static let leftovers = ["TODO", "FIXME", "for now", "/" + "work/", "/" + "root/", "/" + "home/"]

    @Test(arguments: Repository.code + Repository.files(in: "", ending: ".md", ".yaml", ".sh", "Makefile", "run"))
    func nothingUnfinished(_ file: Repository.File) {
        for word in Self.leftovers { #expect(file.text.range(of: word) == nil, "\(file.path) still says \(word)") }
    }

    @Test(arguments: Repository.code)
    func noEmptyNames(_ file: Repository.File) {
        for line in file.code {
            #expect(
                line.firstMatch(of: /\b(struct|class|enum|actor|protocol) \w*(Manager|Helper|Util|Utils)\b/) == nil, "\(file.path): \(line)"
            )
        }
    }
}
