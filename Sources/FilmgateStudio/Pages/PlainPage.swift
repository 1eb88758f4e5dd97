import FilmgateCore
import HTTPKit
import HTTPTypes
import Hummingbird

/// The shoot as one page of text without scripts, for text browsers and readers.
///
/// A token lets in, as the password of basic sign-in: browsers send that to this very address alone, while cookies go
/// to every port.
struct PlainPage: Sendable {
    static let path = "/plain"
    static let challenge =
        "Basic realm=\"Filmgate Studio: any name, and a token of filmgate studio token\", charset=\"UTF-8\""
    let api: StudioAPI
    /// Where style sheet and icon are.
    let folder: String
    private static let frames = 50

    func answer(_ request: Request) async throws -> Answer {
        guard let password = Self.password(request), let grant = api.access.token(password) else {
            throw StudioError(
                .unauthorized, "unauthorized", "This page wants a token.",
                advice: "`filmgate studio token` prints one: give it as the password, with any name.")
        }
        let routes = api.routes
        func object(_ id: String, _ values: [String: String] = [:]) async throws -> JSONValue {
            guard let route = routes.first(where: { $0.id == id }) else { return .null }
            let answer = try await route.run(Call(grant: grant, values: values))
            return JSONValue(Array(answer.body.readableBytesView)) ?? .null
        }
        let board = try await object("board"), frames = try await object("frames", ["limit": String(Self.frames)])
        let targets = grant.role >= .operate ? try await object("deliveries", ["limit": "50"]) : .null
        return .html(
            RefusalPage.page(
                "Filmgate Studio", text(board) + text(targets: targets) + text(frames: frames), folder: folder))
    }

    private static func password(_ request: Request) -> String? {
        guard let header = request.headers.single(.authorization), header.lowercased().hasPrefix("basic "),
            let bytes = Base64.bytes(header.dropFirst(6)), let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return String(decoding: bytes[(colon + 1)...], as: UTF8.self)
    }

    private func text(_ board: JSONValue) -> String {
        let running = board["running"]?.flag == true ? board["paused"]?.flag == true ? "Paused" : "Taking" : "No run"
        let counts = (board["assets"]?.members.map { Array($0) } ?? []).map { "\($0.key) \($0.value.text ?? "")" }
            .joined(separator: ", ")
        return "<p>\(Self.shown(running)). \(Self.shown(counts)).</p>\n"
    }

    private func text(targets: JSONValue) -> String {
        guard let list = targets["targets"]?.items else { return "" }
        let columns = ["name", "done", "pending", "held", "failed", "reason"]
        return "<h2>Deliveries</h2>\n" + Self.table("Targets", columns, list)
            + Self.table("Not done", ["name", "target", "state", "reason"], targets["deliveries"]?.items ?? [])
    }

    private func text(frames: JSONValue) -> String {
        let list = frames["frames"]?.items ?? [], total = frames["total"]?.whole ?? 0
        return "<h2>Newest of \(total == 1 ? "1 file" : "\(total) files")</h2>\n"
            + Self.table("Files", ["path", "captured", "kind", "ending", "reason"], list)
    }

    private static func table(_ caption: String, _ columns: [String], _ rows: [JSONValue]) -> String {
        let head = columns.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let body = rows.map { row in
            "<tr>" + columns.map { "<td>\(shown(row[$0]?.text ?? ""))</td>" }.joined() + "</tr>\n"
        }
        return
            "<table><caption>\(caption)</caption><thead><tr>\(head)</tr></thead><tbody>\n\(body.joined())</tbody></table>\n"
    }

    private static func shown(_ text: String) -> String { RefusalPage.escaped(text) }
}
