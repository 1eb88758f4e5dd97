import FilmgateCore
import HTTPTypes

/// What the page asks the commands to do.
struct CommandRoutes: Sendable {
    let api: StudioAPI

    var all: [Route] {
        [
            api.command(
                "retry", "/api/v1/retry",
                "Send again what is pending or held, as `retry`; all, or what `selection` means.",
                [
                    .init(name: "target", help: "Only this target, by its name.", isRequired: false),
                    .init(name: "failed", help: "Also what was refused.", isRequired: false, words: ["yes", "no"]),
                ], takesSelection: true
            ) { call in
                JobOrders.retry(
                    target: try word("target", call), failed: call.body["failed"] == "yes",
                    only: try await FrameSelection(api: api).waiting(call))
            },
            api.command(
                "cancel", "/api/v1/cancel",
                "Take back what waits, is held or was refused for a target, as `cancel --yes`.",
                [
                    .init(name: "target", help: "The target: its name, address or folder.", isRequired: true),
                    .init(
                        name: "file", help: "Only this file, by its SHA-256, its path at its source, or its name.",
                        isRequired: false),
                ]
            ) { call in JobOrders.cancel(target: try needed("target", call), file: try word("file", call)) },
            api.command(
                "assign", "/api/v1/assign",
                "Give what was held without an event to an event, as `assign`; all, or what `selection` means.",
                [
                    .init(name: "event", help: "The event.", isRequired: true),
                    .init(name: "target", help: "Only this target.", isRequired: false),
                ], takesSelection: true
            ) { call in
                JobOrders.assign(
                    event: try needed("event", call), target: try word("target", call),
                    only: try await FrameSelection(api: api).waiting(call, none: FrameSelection.nothingWithoutEvent))
            },
            api.command(
                "eventsUse", "/api/v1/events/use", "Choose the event of the runs to come, as `events use`.",
                [
                    .init(name: "event", help: "The event: its name, or its id at a gallery.", isRequired: true),
                    .init(
                        name: "now", help: "Restart the active run with this event, now.", isRequired: false,
                        words: ["yes", "no"]),
                ]
            ) { call in JobOrders.use(event: try needed("event", call), now: call.body["now"] == "yes") },
            api.command(
                "eventsRefresh", "/api/v1/events/refresh",
                "Ask the galleries for their events, as `events list --refresh`.", []
            ) {
                _ in
                JobOrders.events(pipeline: api.pipeline)
            },
            api.command(
                "pause", "/api/v1/pause", "Let the run take nothing new, while deliveries continue, as `pause`.", []
            ) { _ in
                JobOrders.taking(false)
            },
            api.command("resume", "/api/v1/resume", "Let a paused run continue, as `resume`.", []) { _ in
                JobOrders.taking(true)
            },
            api.command("accounts", "/api/v1/accounts", "Who is signed in where, as `whoami`.", []) { _ in
                JobOrders.accounts(pipeline: api.pipeline)
            },
            api.command(
                "login", "/api/v1/accounts/login",
                "Sign in, as `login`: the job's `invitation` has the address to open, and its code.",
                [.init(name: "account", help: "The sign-in, by its name under `auth:`.", isRequired: true)]
            ) { call in JobOrders.login(account: try account(call), pipeline: api.pipeline) },
            api.command(
                "logout", "/api/v1/accounts/logout", "Forget a sign-in here, then tell the provider, as `logout`.",
                [.init(name: "account", help: "The sign-in, by its name under `auth:`.", isRequired: true)]
            ) { call in JobOrders.logout(account: try account(call), pipeline: api.pipeline) },
            api.command("doctorRun", "/api/v1/doctor", "Look for what would go wrong, as `doctor`.", []) { _ in
                JobOrders.doctor(pipeline: api.pipeline)
            },
            api.command(
                "check", "/api/v1/pipeline/check", "Look for mistakes in the pipeline of this page, as `check`.", []
            ) { _ in
                JobOrders.check(pipeline: try api.neededPipeline())
            },
        ]
    }

    /// A word that people typed: one line without control characters; nil where it is not there.
    private func word(_ name: String, _ call: Call) throws(StudioError) -> String? {
        guard let text = call.body[name] else { return nil }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
            text.contains(where: { !$0.isWhitespace })
        else {
            throw .usage("The field \(name) is one line that says something.")
        }
        return text
    }

    /// `login` and `logout` take a word with a slash, or one that ends as a pipeline does, for a file.
    private func account(_ call: Call) throws(StudioError) -> String {
        let name = try needed("account", call)
        guard !name.contains("/"), !name.hasSuffix(".yaml"), !name.hasSuffix(".yml") else {
            throw .usage("The field account is the name of a sign-in.")
        }
        return name
    }

    private func needed(_ name: String, _ call: Call) throws(StudioError) -> String {
        guard let word = try word(name, call) else { throw .usage("The field \(name) is missing.") }
        return word
    }
}
