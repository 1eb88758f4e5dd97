import FilmgateCore
import FilmgateLedger
import FilmgateReport
import HTTPTypes

extension StudioAPI {
    var ledgerRoutes: [Route] {
        [
            Route(
                method: .get, path: "/api/v1/board", need: .role(.view), id: "board",
                summary: "The shoot at a glance, as `status --watch`.",
                answer: .init(status: 200, help: "Counts; from role operate also targets and sources.", shape: "Status")
            ) { call in try await board(call) },
            Route(
                method: .get, path: "/api/v1/deliveries", need: .role(.operate), id: "deliveries",
                summary: "What is where: each target, and what waits, is held or failed.",
                parameters: [
                    Self.at, Self.limit,
                    .init(name: "target", kind: .text(longest: 1000), help: "Only this one, by its name."),
                    .init(
                        name: "state", kind: .words(Self.openStates.map(\.rawValue)),
                        help: "Only those; all three where none is named."),
                    .init(name: "event", kind: .text(longest: 1000), help: "Only of this event."),
                    .init(
                        name: "without", kind: .words(["event"]),
                        help: "Only what waits until somebody says its event, as `assign` does."),
                ],
                answer: .init(
                    status: 200, help: "Targets, and a part of what is not done, oldest first.", shape: "Deliveries")
            ) { call in try await deliveries(call) },
            Route(
                method: .get, path: "/api/v1/runs", need: .role(.operate), id: "runs",
                summary: "The runs so far, newest first.", parameters: [Self.limit],
                answer: .init(status: 200, help: "The runs.", shape: "Runs")
            ) { call in try await runs(call) },
            Route(
                method: .get, path: "/api/v1/runs/{id}", need: .role(.operate), id: "run",
                summary: "A run and what it did with its files.",
                parameters: [
                    .init(name: "id", kind: .number(1...Int(Int32.max)), help: "Its number.", isInPath: true), Self.at,
                    Self.limit,
                ],
                answer: .init(status: 200, help: "The run and a part of its files.", shape: "RunFiles")
            ) { call in try await run(call) },
            Route(
                method: .get, path: "/api/v1/events", need: .role(.operate), id: "events",
                summary: "Events that were chosen, had runs, or were read from a gallery.",
                answer: .init(status: 200, help: "The events; no gallery is asked.", shape: "Events")
            ) { _ in try await events() },
        ]
    }

    private static let openStates: [Receipt.State] = [.pending, .held, .failed]

    private func board(_ call: Call) async throws -> Answer {
        let whole = try await board()
        return .json(call.role < .operate ? call.scope.board(Self.shown(board: whole)) : whole)
    }

    /// Of the board what those may see who may not see where files come from and go.
    static func shown(board whole: String) -> String {
        let object = JSONValue(Array(whole.utf8))?.members ?? JSONObject()
        let shown = object.filter { ["type", "running", "paused", "assets", "unfinished"].contains($0.key) }
        return JSONValue.object(JSONObject(shown)).serialized
    }

    private func deliveries(_ call: Call) async throws -> Answer {
        let start = call.number("at") ?? 0, limit = call.number("limit") ?? 100
        let named = call.values["state"]?.split(separator: ",").compactMap { Receipt.State(rawValue: String($0)) }
        let event = try call.isWithoutEvent ? DeliveryRow.unassigned : call.values["event"]
        let reader = try await ledger.reader(), totals = try await reader?.totals()
        let part = try await reader?.openDeliveries(
            Set(named ?? Self.openStates), target: call.values["target"], event: event, from: start, limit: limit)
        var object = JSONWriter()
        object.add("type", "deliveries")
        object.add("targets", objects: (totals?.targets ?? []).map(TargetLine.object))
        add(part?.elements.count ?? 0, of: part?.total ?? 0, from: start, to: &object)
        var deliveries: [JSONWriter] = []
        for row in part?.elements ?? [] {
            let file = row.isNamed ? nil : try await reader?.assets(sha256: row.content.sha256).first?.origin.name
            deliveries.append(FrameObject.delivery(row, file: file))
        }
        object.add("deliveries", objects: deliveries)
        return .json(object.finished)
    }

    private func add(_ count: Int, of total: Int, from start: Int, to object: inout JSONWriter) {
        object.add("total", total)
        object.add("at", start)
        object.add("next", start + count < total && count > 0 ? start + count : nil)
    }

    private func runs(_ call: Call) async throws -> Answer {
        let holder = StateHolder(directory: state)
        let rows = try await ledger.reader()?.runs(limit: call.number("limit") ?? 100)
        var object = JSONWriter()
        object.add("type", "runs")
        object.add("runs", objects: (rows ?? []).map { RunLine.object($0, holder) })
        return .json(object.finished)
    }

    private func run(_ call: Call) async throws -> Answer {
        let id = Int64(call.number("id") ?? 0), start = call.number("at") ?? 0
        guard let reader = try await ledger.reader(), let run = try await reader.run(id) else {
            throw StudioError(.notFound, "notFound", "There is no run \(id).", advice: "/api/v1/runs lists them.")
        }
        let part = try await reader.assets(ofRun: id, from: start, limit: call.number("limit") ?? 100)
        let receipts = try await reader.receipts(of: part.elements.compactMap(\.content))
        var next = receipts.makeIterator()
        let items = part.elements.map { row in
            // What later runs delivered is theirs to tell.
            let own =
                row.content == nil
                ? [] : (next.next() ?? []).filter { $0.receipt.state != .done || $0.receipt.at <= row.at }
            var item = JSONWriter()
            ItemLine.add(FrameObject.result(row, own, call.role), to: &item)
            return item
        }
        var object = JSONWriter()
        object.add("type", "files")
        object.add("run", RunLine.object(run, StateHolder(directory: state)))
        add(items.count, of: part.total, from: start, to: &object)
        object.add("items", objects: items)
        return .json(object.finished)
    }

    private func events() async throws -> Answer {
        var object = JSONWriter()
        object.add("type", "events")
        object.add("events", objects: try await services.events().map(\.object))
        return .json(object.finished)
    }
}
