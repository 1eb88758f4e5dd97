import FilmgateCore
import HTTPTypes

/// Who comes in, and whom they let in.
struct SessionRoutes: Sendable {
    let api: StudioAPI

    var all: [Route] {
        [
            Route(
                method: .get, path: "/api/v1/about", need: .nothing, id: "about", summary: "What answers here.",
                answer: .init(status: 200, help: "Name, version and ways to pair.", shape: "About")
            ) { _ in about() },
            Route(
                method: .post, path: "/api/v1/session", need: .nothing, id: "pair",
                summary: "Open a session with a code.",
                fields: [.init(name: "code", help: "What `filmgate studio` printed.", isRequired: true)],
                answer: .init(
                    status: 201, help: "The session; `key` is sent as X-Filmgate-Key from now on.", shape: "Opened")
            ) { call in try await pair(call) },
            Route(
                method: .get, path: "/api/v1/session", need: .session, id: "whoami", summary: "Who asks.",
                answer: .init(
                    status: 200, help: "The session or token; `catalog`: whether it may see stations of a catalogue.",
                    shape: "Whoami")
            ) { call in await whoami(call) },
            Route(
                method: .delete, path: "/api/v1/session", need: .session, id: "leave", summary: "End the own session.",
                answer: .init(status: 200, help: "It is over.", shape: "Done")
            ) { call in leave(call) },
            Route(
                method: .get, path: "/api/v1/sessions", need: .role(.admin), id: "sessions",
                summary: "Who may come in.",
                answer: .init(status: 200, help: "Sessions, tokens and unused codes.", shape: "Grants")
            ) { _ in sessions() },
            Route(
                method: .delete, path: "/api/v1/sessions/{id}", need: .role(.admin), id: "revoke",
                summary: "End a session, a token or a code at once.",
                parameters: [
                    .init(name: "id", kind: .text(longest: 64), help: "As `sessions` names it.", isInPath: true)
                ],
                answer: .init(status: 200, help: "It is over.", shape: "Done")
            ) { call in try revoke(call) },
            Route(
                method: .post, path: "/api/v1/links", need: .role(.admin), id: "link",
                summary: "Make a code for another browser, or with `event` or `from` a link for a client.",
                fields: [
                    .init(
                        name: "role", help: "What the other browser may do; a client may view or pick.",
                        isRequired: true, words: Role.allCases.map(\.rawValue)),
                    .init(name: "event", help: "The client sees the files of this event alone.", isRequired: false),
                    .init(
                        name: "from", help: "The client sees files from now on alone.", isRequired: false,
                        words: ["now"]),
                    .init(
                        name: "for", help: "How long a client's link counts, such as 8h; 24h where it is not given.",
                        isRequired: false),
                    .init(name: "label", help: "Who the client is.", isRequired: false),
                ],
                answer: .init(
                    status: 201,
                    help:
                        "The code, told once. A client's counts until it is over or taken back, as often as it is used.",
                    shape: "Code")
            ) { call in try link(call) },
        ]
    }

    private func about() -> Answer {
        var object = JSONWriter()
        object.add("type", "about")
        object.add("name", "Filmgate Studio")
        object.add("version", api.version)
        object.add("pairing", ["code"])
        return .json(object.finished)
    }

    private func whoami(_ call: Call) async -> Answer {
        guard var object = call.grant?.object else { return .json("{}") }
        object.add("catalog", await api.showsStations(call))
        return .json(object.finished)
    }

    private func pair(_ call: Call) async throws -> Answer {
        do {
            let opened = try await api.access.pair(
                call.body["code"] ?? "", label: String(call.agent.prefix(80)), from: call.address)
            var object = opened.grant.object
            object.add("key", opened.key)
            var answer = Answer.json(object.finished, .created)
            answer.headers[.setCookie] = api.cookie.header(opened.cookie, life: AccessControl.sessionLife)
            return answer
        } catch AccessControl.Refusal.tooMany {
            throw StudioError(
                .tooManyRequests, "rateLimited", "Too many wrong codes were tried.", advice: "Wait a minute.")
        } catch AccessControl.Refusal.wrongCode {
            if call.body["code"]?.utf8.count == AccessSecret.length {
                throw StudioError(
                    .unauthorized, "wrongCode", "This link has ended.",
                    advice: "Ask the photographer who sent it to you for a new one.")
            }
            throw StudioError(
                .unauthorized, "wrongCode", "This code is wrong, was used already, or is older than five minutes.",
                advice: "`filmgate studio link` prints a new one.")
        }
    }

    private func leave(_ call: Call) -> Answer {
        if let grant = call.grant { api.access.store.remove(grant.id) }
        var answer = Self.done
        answer.headers[.setCookie] = api.cookie.header("", life: 0)
        return answer
    }

    private func sessions() -> Answer {
        let grants = Grant.Kind.allCases.flatMap { api.access.store.all($0, now: api.access.now) }.sorted {
            ($0.since, $0.id) > ($1.since, $1.id)
        }
        var object = JSONWriter()
        object.add("type", "grants")
        object.add("grants", objects: grants.map(\.object))
        return .json(object.finished)
    }

    private func revoke(_ call: Call) throws(StudioError) -> Answer {
        let id = call.values["id"] ?? "",
            grants = Grant.Kind.allCases.flatMap { api.access.store.all($0, now: api.access.now) }
        guard let grant = grants.first(where: { $0.id == id }), api.access.store.remove(grant.id) else {
            throw StudioError(.notFound, "notFound", "There is no such session.", advice: "It may have ended already.")
        }
        return Self.done
    }

    private func link(_ call: Call) throws -> Answer {
        let role = call.body["role"].flatMap { Role(rawValue: $0) } ?? .view
        let scope = GrantScope(event: call.body["event"], from: call.body["from"] == nil ? nil : api.access.now)
        let made: (code: String, grant: Grant)
        if scope.isEverything {
            guard call.body["for"] == nil, call.body["label"] == nil else {
                throw StudioError.usage("`for` and `label` go with a client's link.")
            }
            made = try api.access.store.makeCode(role: role, seconds: nil, now: api.access.now)
        } else {
            guard role <= .pick else { throw StudioError.usage("A client's link is for view or pick.") }
            let link = try api.access.store.makeLink(
                role: role, scope: scope, seconds: try Self.life(call), label: call.body["label"] ?? "",
                now: api.access.now
            )
            made = link
            api.access.note("studio: \(call.grant?.id ?? "") made \(made.grant.id)")
        }
        let address = api.access.store.address.map { "\($0)/#k=\(made.code)" }
        var object = made.grant.object
        object.add("code", made.code)
        object.add("link", address)
        object.add("qr", address.map(api.services.qr) ?? [])
        return .json(object.finished, .created)
    }

    /// Seconds, from a minute to a year.
    private static func life(_ call: Call) throws(StudioError) -> Int64 {
        let text = call.body["for"] ?? "24h"
        guard let seconds = Duration(text: text)?.components.seconds, (60...31_536_000).contains(seconds) else {
            throw .usage("The field for is a duration from a minute to a year, such as 8h.")
        }
        return seconds
    }

    private static let done: Answer = {
        var object = JSONWriter()
        object.add("type", "done")
        return .json(object.finished)
    }()
}
