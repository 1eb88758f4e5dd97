import FilmgateCore
import HTTPKit

/// Pages for people as the answer to an upload: a hotel's network, a provider's sign-in page, a site that has one page for every address.
extension HTTPTarget {
    /// True for a page in which nothing says what the file is called at the server.
    func saysNothing(_ response: HTTPResponse) -> Bool {
        guard response.isPage, !options.believesPages else { return false }
        return [options.receipt.idHeader, options.receipt.urlHeader].allSatisfy { $0.isEmpty || response[header: $0] == nil }
    }

    /// Asks for the file where that can be done: only finding it counts as delivered.
    ///
    /// Else held. Where sending again could store it twice, nothing is sent before a person has looked: `misconfigured`.
    func settled(_ job: UploadJob, byPage response: HTTPResponse) async throws(IngestError) -> Receipt {
        if var found = try await find(job) {
            found.existed = false
            return found
        }
        let mayAskAgain = traits.idempotent || options.find != nil
        throw IngestError(
            mayAskAgain ? .untrusted : .misconfigured, "\(place) answers uploads with a web page, which does not say that it has the file.",
            advice: "On a network with a sign-in page, sign in there; else check `url`. If this is how the server says yes, set "
                + "`believe_pages: true`. Then run `filmgate retry`.")
    }
}
