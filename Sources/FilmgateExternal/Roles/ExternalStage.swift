import FilmgateCore
import HTTPKit

/// A stage whose verdicts come from a program.
struct ExternalStage: Stage {
    private let children: ChildPool, name: String, signer: RequestSigner?
    /// A stage that fails sets the file aside, so a child that died is given some time to come back.
    private static let tries = 5

    init(_ use: Use) throws(IngestError) {
        children = use.children(width: 2)
        (name, signer) = (use.name, use.signer)
        _ = try children.traits()
    }

    func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
        let request = Request(
            verb: "process",
            arguments: [
                "asset": .object(AssetText.json(asset)),
                "shot": .array(shot.assets.map { .object(AssetText.json($0)) }),
            ])
        guard let value = try await answer(request) else {
            throw IngestError(.misconfigured, "The module `\(name)` does not know `process`.")
        }
        if let reason = value["filter"]?.string {
            return .finish(asset, .filtered, reason: "\(name): \(children.shown(reason))", twin: nil)
        }
        guard let facts = value["pass"] else {
            throw IngestError(.unavailable, "The module `\(name)` neither passes nor filters \(asset.origin.name).")
        }
        return .pass(try read(facts, into: asset))
    }

    private func answer(_ request: Request) async throws(IngestError) -> JSONValue? {
        var tried = 0
        while true {
            do throws(IngestError) {
                return try await children.ask(request, signer: signer)
            } catch {
                tried += 1
                guard error.code.disposition == .retry, tried < Self.tries else { throw error }
                let pause = min(error.retryAfter ?? .milliseconds(100), .seconds(5))
                guard (try? await Task.sleep(for: pause)) != nil else { throw IngestError(.cancelled, "Stopped.") }
            }
        }
    }

    /// Facts that a stage may add: flags, and what people say about a picture; never what identifies it.
    private func read(_ facts: JSONValue, into asset: Asset) throws(IngestError) -> Asset {
        var asset = asset
        for flag in (facts["flags"]?.texts ?? []).prefix(20) where ModuleProgram.isName(flag) {
            asset.flags.insert(flag)
        }
        guard let given = facts["media"]?.members, !given.isEmpty else { return asset }
        var media = asset.media ?? MediaFacts()
        if let rating = given["rating"]?.whole, (-1...5).contains(rating) { media.rating = Int(rating) }
        media.owner = given["owner"]?.string.map(Reported.shown) ?? media.owner
        media.artist = given["artist"]?.string.map(Reported.shown) ?? media.artist
        if let place = given["latitude"]?.real, let other = given["longitude"]?.real, abs(place) <= 90,
            abs(other) <= 180
        {
            media.position = MediaFacts.Position(latitude: place, longitude: other)
        }
        asset.media = media
        return asset
    }
}
