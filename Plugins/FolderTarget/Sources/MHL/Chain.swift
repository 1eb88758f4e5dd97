import FileKit
import FilmgateCore

/// The chain file: every manifest of a history with its C4 identity (ASC MHL 2.0, ascmhldirectory).
enum Chain {
    static func parse(_ bytes: [UInt8]) throws(IngestError) -> [History.Generation] {
        var scanner = ManifestXMLScanner(bytes)
        var generations: [History.Generation] = []
        var number: Int?, name: String?, c4: String?
        while let event = try scanner.next() {
            switch event {
            case .begin("hashlist", let attributes): (number, name, c4) = (attributes["sequencenr"].flatMap(Int.init), nil, nil)
            case .end("path", let text): name = text
            case .end("c4", let text): c4 = text
            case .end("hashlist", _):
                guard let number, let name, let c4 else { throw IngestError(.corruptData, "An entry of the chain is incomplete.") }
                generations.append(History.Generation(number: number, name: name, c4: c4))
            default: break
            }
        }
        return generations
    }

    static func text(_ generations: [History.Generation]) -> String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\">\n"
        for generation in generations {
            text += "  <hashlist sequencenr=\"\(generation.number)\">\n    <path>\(XMLEscaping.escaped(generation.name))</path>\n"
            text += "    <c4>\(XMLEscaping.escaped(generation.c4))</c4>\n  </hashlist>\n"
        }
        return text + "</ascmhldirectory>\n"
    }
}
