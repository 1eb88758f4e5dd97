import FilmgateCore
import HTTPKit

/// What is said of an upload that was not taken, or was not sent.
extension HTTPOptions {
    /// The server, as messages name it.
    var place: String { WebAddress(url.base)?.origin ?? "The server" }

    /// What keeps from sending where nobody can see what would be replaced; nil where the options say that it may be
    /// sent all the same.
    func unseenError(_ path: String) -> IngestError? {
        if unseen == .send { return nil }
        return IngestError(
            .misconfigured,
            "\(place) does not show what exists at \(path): a file there could be replaced, so nothing was sent.",
            advice:
                "Give the account the right to read, or put {sha256} into `url`. "
                + "Where the server keeps If-None-Match, or may replace, "
                + "`unseen: send` allows it.")
    }

    /// What is said where something stands at the name that may be this very file.
    func ambiguous(_ path: String) -> IngestError {
        IngestError(
            .rejected,
            "\(path) exists, and \(place) lets nobody read it: it may be this very file, sent before.",
            advice:
                "Look at it there; then remove it, or give the account the right to read, "
                + "and run `filmgate retry --failed`."
        )
    }

    func inUse(_ path: String) -> IngestError {
        IngestError(.nameTaken, "\(place) has something at \(path) already, and not these bytes; nothing was sent.")
    }

    func refusal(
        _ response: HTTPResponse, _ found: String = "Something is there already, and not these bytes."
    ) -> IngestError {
        var error = HTTPStatus.error(for: response)
        if url.layout != nil { error.code = .nameTaken }
        error.message = found + " " + error.message
        return error
    }

    var pageError: IngestError {
        IngestError(
            .untrusted, "\(place) answers uploads with a web page, which does not say that it has the file.",
            advice:
                "On a network with a sign-in page, sign in there; else check `url`. "
                + "If this is how the server says yes, set "
                + "`believe_pages: true`. Then run `filmgate retry`.")
    }

    /// Many sites that have taken a form send on to a page, and so do sign-in pages.
    func redirectError(_ response: HTTPResponse) -> IngestError {
        let next = response[header: "Location"].flatMap { WebAddress($0, relativeTo: response.url) }
        let isOwn = next?.origin == WebAddress(response.url)?.origin
        let name = next.map { isOwn ? response.redactor.scrub($0.path) : $0.origin } ?? "another address"
        return IngestError(
            .untrusted,
            "\(place) answers uploads with a redirect to \(HeaderText.clean(name)) (\(response.status)), "
                + "which does not say that it has the file; nothing was sent on to there.",
            advice:
                "If that is a sign-in page, check `auth` and its rights; if this is how the server says yes, add "
                + "\(response.status) to `expect`; else write the right address into the pipeline file.")
    }
}
