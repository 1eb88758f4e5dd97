import FilmgateCore
import HTTPKit

/// A source whose files are found and read by a program.
struct ExternalSource: SourceDriver {
    let traits: SourceTraits
    private let children: ChildPool, use: Use

    init(_ use: Use) throws(IngestError) {
        self.use = use
        children = use.children()
        let given = try children.traits()
        let backlog = given["backlog"]?.string.flatMap { Backlog(rawValue: $0) }
        let pause =
            given["lookEvery"]?.real.map { Duration.milliseconds(Int64(min(max($0, 1), 86_400) * 1000)) } ?? .seconds(5)
        traits = SourceTraits(backlog: backlog, lookEvery: pause)
    }

    func places() async throws(IngestError) -> [SourcePlace] {
        guard let value = try await children.ask(Request(verb: "places")) else {
            throw IngestError(.misconfigured, "The module `\(use.name)` does not know `places`.")
        }
        var places: [SourcePlace] = []
        for item in (value["places"]?.items ?? []).prefix(1000) {
            guard let address = item["address"]?.string, !address.isEmpty else {
                throw IngestError(.unavailable, "The module `\(use.name)` names a place without its `address`.")
            }
            var place = SourcePlace(
                source: use.name, address: address, label: item["label"]?.string.map(Reported.shown) ?? address)
            place.visit = item["visit"]?.string ?? ""
            places.append(place)
        }
        return places
    }

    func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
        let arguments: JSONObject = ["address": .string(place.address)]
        let children = use.children(preamble: Request(verb: "open", arguments: arguments))
        guard let value = try await children.ask(Request(verb: "open", arguments: arguments)),
            let volume = value["volume"]?.string,
            !volume.isEmpty
        else {
            throw IngestError(
                .unavailable, "The module `\(use.name)` does not say which volume \(place.label) is (`volume`).")
        }
        return ExternalSession(
            place: place, volume: "\(use.name):\(Reported.shown(volume))", children: children,
            identifiesDevice: try identifies(value, place))
    }

    /// Whether the volume tells this device from others of its kind, as far as the module says.
    private func identifies(_ value: JSONValue, _ place: SourcePlace) throws(IngestError) -> Bool {
        guard let said = value["identifies"], said != .null else { return true }
        guard let flag = said.flag else {
            throw IngestError(
                .unavailable, "The module `\(use.name)` says neither true nor false to `identifies` of \(place.label).")
        }
        return flag
    }
}
