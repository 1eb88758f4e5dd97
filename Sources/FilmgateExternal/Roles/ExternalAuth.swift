import FilmgateCore
import HTTPKit

/// A sign-in whose credential comes from a program: it is asked only for the origins that the pipeline file names.
struct ExternalAuth: AuthProvider {
    let account: String?
    private let children: ChildPool, name: String, scope: CredentialScope

    /// Starts a child for its account; it reads no secret by then.
    init(_ use: Use) throws(IngestError) {
        children = use.children()
        name = use.name
        scope = CredentialScope(
            use.context.name, origins: use.setup.options["origins"]?.texts ?? [],
            plainHTTP: use.setup.options["plain_http"]?.flag ?? false)
        account = try children.traits()["account"]?.string.map(Reported.shown)
    }

    func bind(to address: String) throws(IngestError) { try scope.bind(address) }

    func ready() async throws(IngestError) { _ = try await children.ask(Request(verb: "ready")) }

    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        try scope.require(request)
        guard
            let value = try await children.ask(Request(verb: "sign", arguments: ["request": RequestText.json(request)]))
        else {
            throw IngestError(.misconfigured, "The module `\(name)` does not know `sign`.")
        }
        var signed = request
        for (header, text) in try RequestText.headers(value["headers"]) {
            guard !HeaderText.framing.contains(header.lowercased()) else {
                throw IngestError(
                    .unauthorized,
                    "The module `\(name)` sets the header `\(header)`, which says where a request goes or ends; nothing was sent."
                )
            }
            signed.set(header, text)
        }
        if let url = value["url"]?.string {
            guard WebAddress(url)?.origin == WebAddress(request.url)?.origin else {
                throw IngestError(
                    .untrusted, "The module `\(name)` wants to send the request elsewhere; nothing was sent.")
            }
            signed.url = url
        }
        children.hide(plain: request, signed: signed)
        return signed
    }

    /// A secret that was replaced is worth another try; else the child knows.
    func renew(after rejection: Rejection) async throws(IngestError) -> Bool {
        let fresh = await Result { () async throws(IngestError) in try await children.refresh() }
        if try fresh.get() { return true }
        var arguments: JSONObject = [
            "status": .integer(Int64(rejection.status)), "challenge": .text(rejection.challenge),
        ]
        arguments["request"] = rejection.request.map(RequestText.json)
        return try await children.ask(Request(verb: "renew", arguments: arguments))?["retry"]?.flag ?? false
    }
}
