import FilmgateCore
import HTTPKit

/// Pages for people as the answer to an upload, and redirects to them: a hotel's network, a provider's sign-in page, a
/// site that has one page for every address.
extension HTTPTarget {
    /// Asks for the file where that can be done: only finding it counts as delivered.
    ///
    /// Else held, by `error`. Where sending again could store it twice, nothing is sent before a person has looked:
    /// `misconfigured`.
    func settled(
        _ job: UploadJob, _ response: HTTPResponse, or error: IngestError
    ) async throws(IngestError) -> Receipt {
        if var found = try await find(job) {
            found.existed = false
            return found
        }
        // Who did not wait for all of it has not kept it.
        if traits.idempotent || options.find != nil || response.isEarly { throw error }
        var held = error
        held.code = .misconfigured
        held.advice =
            (error.advice.map { $0 + " " } ?? "")
            + "See first whether it has the file: `filmgate retry` sends it again."
        throw held
    }
}

extension HTTPOptions {
    /// True for a page in which nothing says what the file is called at the server.
    func saysNothing(_ response: HTTPResponse) -> Bool {
        guard response.isPage, !believesPages else { return false }
        return [receipt.idHeader, receipt.urlHeader].allSatisfy { $0.isEmpty || response[header: $0] == nil }
    }
}

extension HTTPResponse {
    /// What came is about the file instead of the file: a page for people, or what a program says of it.
    ///
    /// A file that is XML or text itself, such as a sidecar, is told from that by the last part of its address.
    func isAbout(fileAt url: String) -> Bool {
        if beginsAsPage { return true }
        let type = Self.essence(self[header: "Content-Type"] ?? "")
        if type == "text/html" || type == "application/xhtml+xml" || Self.isJSON(type) { return true }
        let name = url.prefix { $0 != "?" }.split(separator: "/").last.map(String.init) ?? ""
        return Self.isText(type) && !Self.isText(MediaType.of(fileName: name))
    }

    /// Without its parameters, in lower case.
    private static func essence(_ type: String) -> String {
        String(type.prefix { $0 != ";" }.filter { $0 != " " }).lowercased()
    }

    private static func isJSON(_ type: String) -> Bool {
        type == "application/json" || type == "text/json" || type.hasPrefix("application/") && type.hasSuffix("+json")
    }

    private static func isText(_ type: String) -> Bool {
        type.hasPrefix("text/") || type == "application/xml" || type.hasPrefix("application/") && type.hasSuffix("+xml")
    }
}
