import FilmgateCore
import FilmgateLedger
import HTTPTypes

/// Cards that are mounted, what is done with them, and where files came from.
struct CardRoutes: Sendable {
    let api: StudioAPI
    private static let id = Route.Parameter(
        name: "id", kind: .text(longest: 32), help: "As `cards` names it under `mounted`.", isInPath: true)

    var all: [Route] {
        [
            Route(
                method: .get, path: "/api/v1/cards", need: .role(.operate), id: "cards",
                summary: "Cards that are mounted now, and where files came from, the latest first.",
                answer: .init(status: 200, help: "Cards, cameras and folders.", shape: "Cards")
            ) { _ in try await cards() },
            api.command(
                "cardPlan", "/api/v1/cards/{id}/plan",
                "What an import would do, as `plan` with the pipeline of this page.", [], parameters: [Self.id]
            ) { call in JobOrders.take("plan", card: try await card(call).path, pipeline: try api.neededPipeline()) },
            api.command(
                "cardImport", "/api/v1/cards/{id}/import", "Import a card, as `import` with the pipeline of this page.",
                [], parameters: [Self.id]
            ) { call in JobOrders.take("import", card: try await card(call).path, pipeline: try api.neededPipeline()) },
            Route(
                method: .post, path: "/api/v1/cards/{id}/prove", need: .role(.operate), id: "cardProve",
                summary: "May this card be formatted? Reads every file and every copy now, as `safe-to-format`.",
                parameters: [Self.id], takesBody: true,
                answer: .init(
                    status: 202,
                    help:
                        "The job. `cards` tells the verdict, which is withdrawn when the card, a copy or a target changes, or after ten minutes.",
                    shape: "Job")
            ) { call in try await prove(call) },
        ]
    }

    private func card(_ call: Call) async throws -> MountedCard {
        let id = call.values["id"] ?? ""
        guard let card = try await api.services.mounted().first(where: { $0.id == id }) else {
            throw StudioError(
                .notFound, "notFound", "This card is not here any more.",
                advice: "Insert it again and wait until it is listed.")
        }
        return card
    }

    private func prove(_ call: Call) async throws -> Answer {
        let card = try await card(call), listing = await api.proofs.listing(card)
        let order = JobOrders.prove(card: card.path, pipeline: api.pipeline)
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let (job, isNew, answer) = try api.begin(order, call) { ended in
            Task {
                // The end may come before the beginning was written down.
                for await _ in begun {}
                await api.proofs.ended(card, ended, hasPipeline: api.pipeline != nil)
            }
        }
        if isNew { await api.proofs.began(card, job: job, listing: listing) }
        continuation.finish()
        return answer
    }

    private func cards() async throws -> Answer {
        let places = try await api.ledger.knownPlaces()
        var object = JSONWriter(), mounted: [JSONWriter] = []
        for card in try await api.services.mounted() {
            mounted.append(Self.card(card, await api.proofs.proof(card.id)))
        }
        object.add("type", "cards")
        object.add("pipeline", api.pipeline)
        object.add("mounted", objects: mounted)
        object.add("cards", objects: places.map(Self.card))
        return .json(object.finished)
    }

    private static func card(_ card: MountedCard, _ proof: ProofState?) -> JSONWriter {
        var object = JSONWriter()
        object.add("type", "mounted")
        object.add("id", card.id)
        object.add("path", card.path)
        object.add("label", card.label)
        object.add("readable", card.isReadable)
        if let proof { object.add("proof", proof.object) } else { object.add("proof", nil as String?) }
        return object
    }

    private static func card(_ place: KnownPlace) -> JSONWriter {
        var object = JSONWriter()
        object.add("type", "card")
        object.add("volume", place.volume)
        object.add("source", place.root)
        object.add("via", place.source)
        object.add("files", place.files)
        object.add("bytes", place.bytes)
        object.add("last", StudioAPI.time(place.last))
        object.add("endings") { endings in
            for ending in Ending.allCases { endings.add(ending.rawValue, place.endings[ending] ?? 0) }
        }
        object.add("unfinished", place.unfinished)
        return object
    }
}
