import FileKit
import FilmgateCore
import XMLKit

/// The chain file: every manifest of a history with its C4 identity (ASC MHL 2.0, ascmhldirectory).
enum Chain {
    static func parse(_ bytes: [UInt8]) throws(IngestError) -> [History.Generation] {
        var generations: [History.Generation] = [], isComplete = true
        var number: Int?, name: String?, c4: String?
        try MHLDocument.read(bytes) { event in
            switch event {
            case .begin("hashlist", let attributes):
                (number, name, c4) = (attributes["sequencenr"].flatMap(Int.init), nil, nil)
            case .end("path", let text): name = text
            case .end("c4", let text): c4 = text
            case .end("hashlist", _):
                if let number, let name, let c4 {
                    generations.append(.init(number: number, name: name, c4: c4))
                } else {
                    isComplete = false
                }
            default: break
            }
        }
        guard isComplete else { throw IngestError(.corruptData, "An entry of the chain is incomplete.") }
        return generations
    }

    static func text(_ generations: [History.Generation]) -> String {
        var text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\">\n"
        for generation in generations {
            text +=
                "  <hashlist sequencenr=\"\(generation.number)\">\n    <path>\(XMLEscaping.escaped(generation.name))</path>\n"
            text += "    <c4>\(XMLEscaping.escaped(generation.c4))</c4>\n  </hashlist>\n"
        }
        return text + "</ascmhldirectory>\n"
    }
}
