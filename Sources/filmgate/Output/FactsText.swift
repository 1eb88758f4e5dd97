import FilmgateCore
import FilmgateEngine

/// A file's facts on one line for people: `DCIM/…/IMG_1.CR3  Make Model #0123  2026-05-01T12:00:00  1/250 f/2.8 ISO 400
/// 85 mm  8192×5464  ★3`.
enum FactsText {
    static func of(_ asset: Asset) -> String {
        let media = asset.media ?? MediaFacts()
        var parts = [Describe.name(asset.origin.path)]
        if let model = media.model {
            parts.append(ModelSpellings.shown(make: media.make, model: model) + (media.serial.map { " #" + $0 } ?? ""))
        }
        if let captured = media.captured { parts.append(captured.description) }
        let exposure = [
            media.exposureTime.map(shutter), media.fNumber?.value.map { "f/" + Describe.decimal($0, 1) },
            media.iso.map { "ISO \($0)" }, media.focalLength?.value.map { Describe.decimal($0, 1) + " mm" },
        ].compactMap { $0 }
        if !exposure.isEmpty { parts.append(exposure.joined(separator: " ")) }
        if let width = media.width, let height = media.height { parts.append("\(width)×\(height)") }
        if let duration = media.duration { parts.append(Describe.duration(duration)) }
        if let rating = media.rating { parts.append("★\(rating)") }
        if !asset.flags.isEmpty { parts.append("[" + asset.flags.sorted().joined(separator: ", ") + "]") }
        if parts.count == 1 { parts.append("no facts") }
        return Describe.name(parts.joined(separator: "  "))
    }

    private static func shutter(_ time: Rational) -> String {
        guard let value = time.value, value > 0 else { return "0 s" }
        return value >= 0.4 ? Describe.decimal(value, 1) + " s" : "1/" + Describe.decimal(1 / value, 0) + " s"
    }
}
