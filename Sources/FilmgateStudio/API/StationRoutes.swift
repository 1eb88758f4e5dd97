import FilmgateCore
import HTTPTypes

/// The stations of the catalogue that the pipeline names, in the words of `catalog status` and `catalog where`.
struct StationRoutes: Sendable {
    let api: StudioAPI

    var all: [Route] {
        [
            Route(
                method: .get, path: "/api/v1/stations", need: .role(.view), id: "stations",
                summary: "This station's own standing and all stations of the catalogue, as `catalog status`.",
                answer: .init(
                    status: 200,
                    help:
                        "What the catalogue told `at` that time; `trouble` says why that is not now. Without a catalogue `catalog` is false, and nobody is asked.",
                    shape: "Stations")
            ) { call in try await stations(call) },
            Route(
                method: .get, path: "/api/v1/frames/{id}/where", need: .role(.operate), id: "frameWhere",
                summary: "Which stations say to have a file's bytes, as `catalog where`.",
                parameters: [
                    .init(name: "id", kind: .text(longest: 16), help: "As the list names it.", isInPath: true)
                ],
                answer: .init(status: 200, help: "Their words; they prove nothing.", shape: "Copies")
            ) { call in try await copies(call) },
        ]
    }

    private func stations(_ call: Call) async throws -> Answer {
        let isNamed = await api.showsStations(call)
        var reading = CatalogView.Reading()
        if isNamed { reading = await api.catalog.now() }
        return .json(
            JSONValue.object([
                "type": "stations", "catalog": .bool(isNamed), "pipeline": .bool(api.pipeline != nil),
                "at": StationObject.word(StudioAPI.time(reading.at)),
                "own": reading.own.map { StationObject.own($0, call.role) } ?? .null,
                "total": .integer(Int64(reading.total)),
                "stations": .array(reading.stations.map { StationObject.station($0, call.role) }),
                "trouble": reading.trouble.map { StationObject.trouble($0, call.role) } ?? .null,
            ]).serialized)
    }

    private func copies(_ call: Call) async throws -> Answer {
        let (row, _, _) = try await api.frames.file(call.values["id"] ?? "", call)
        guard await api.showsStations(call) else {
            throw StudioError(
                .notFound, "notFound", "No pipeline of this page names a catalogue.",
                advice: "Write `catalog: { postgres: { url: … } }` there; see the manual's page on stations.")
        }
        var copies: [JSONValue] = []
        if let sha256 = row.digests?.sha256 { copies = try await ask(sha256) }
        return .json(
            JSONValue.object([
                "type": "copies", "sha256": StationObject.word(row.digests?.sha256),
                "copies": .array(copies.map(StationObject.copy)),
            ]).serialized)
    }

    private static let patience = Duration.seconds(10)

    private func ask(_ sha256: String) async throws(StudioError) -> [JSONValue] {
        let order = JobOrders.copies(sha256: sha256, pipeline: api.pipeline)
        guard let said = await api.inquiry.ask(order, within: Self.patience) else {
            throw StudioError(
                .tooManyRequests, "rateLimited", "The catalogue is asked by many just now.", advice: "Try again.")
        }
        // Where nobody has them the command ends as one whose source is not there, without an error.
        if said.exit == 0 || said.exit == 5 && said.error == nil { return said.all("place") }
        let trouble = CatalogView.Failure(said, within: Self.patience)
        throw StudioError(
            .serviceUnavailable, trouble.code, AddressMask.hidden(trouble.message),
            advice: trouble.advice.map(AddressMask.hidden))
    }
}

extension StudioAPI {
    /// Whether who asks may see stations: there is a catalogue, and they are shown more than a part of the shoot.
    func showsStations(_ call: Call) async -> Bool {
        guard call.scope.isEverything else { return false }
        return await services.namesCatalog(pipeline)
    }
}
