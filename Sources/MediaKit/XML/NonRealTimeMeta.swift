import FilmgateCore

/// The clip metadata that XDCAM and XAVC recorders write beside or inside a clip: device and time of recording with its
/// offset.
enum NonRealTimeMeta {
    static func fill(_ facts: inout MediaFacts, from packet: Bytes) {
        var scanner = XMLScanner(packet)
        var events = 0
        while events < 4096, let event = scanner.next() {
            events += 1
            guard case .open(let name, let attributes, _) = event else { continue }
            let values = Dictionary(attributes.map { ($0.name, $0.value) }) { first, _ in first }
            switch name.split(separator: ":").last {
            case "CreationDate": facts.captured = facts.captured ?? values["value"].flatMap { CivilTime(text: $0) }
            case "Device":
                facts.make = facts.make ?? values["manufacturer"]
                facts.model = facts.model ?? values["modelName"]
                // All bits set: the recorder does not tell.
                facts.serial =
                    facts.serial ?? values["serialNo"].flatMap { $0 == "4294967295" || $0.isEmpty ? nil : $0 }
            case "Lens": facts.lensModel = facts.lensModel ?? values["modelName"]
            default: break
            }
        }
    }
}
