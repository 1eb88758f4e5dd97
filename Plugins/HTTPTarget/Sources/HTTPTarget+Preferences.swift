public import FilmgateCore
import HTTPKit

extension HTTPTarget: AccountPreferences {
    public var keepsPreferences: Bool { !options.preferences.base.isEmpty }

    public func preferences() async throws(IngestError) -> [String: Preference] {
        Preference.all(in: try await document().json)
    }

    /// Writes the whole object; its other members stay as they were read, and where the server names versions
    /// (ETag) nobody's change in between is lost.
    public func keep(_ preference: Preference, as name: String) async throws(IngestError) {
        let (json, version) = try await document()
        guard case .object(var members) = json else { throw unreadable }
        members[name] = preference.json
        let condition = version.map { [("If-Match", $0)] } ?? []
        let request = HTTPRequest("PUT", options.preferences.base, headers: condition)
        let response = try await client.look(HTTPExchange(request, body: JSONValue.object(members).body))
        guard (200..<300).contains(response.status) else { throw HTTPStatus.error(for: response) }
    }

    /// Nothing there (404, 204) is an empty object.
    private func document() async throws(IngestError) -> (json: JSONValue, version: String?) {
        let response = try await client.look(HTTPExchange(HTTPRequest("GET", options.preferences.base)))
        if response.status == 404 || response.status == 204 { return (.object([:]), nil) }
        guard response.status == 200 else { throw HTTPStatus.error(for: response) }
        guard case .object(let members)? = response.json else { throw unreadable }
        let version = response[header: "ETag"].flatMap { $0.hasPrefix("W/") ? nil : $0 }
        return (.object(members), version)
    }

    private var unreadable: IngestError {
        IngestError(.rejected, "\(options.preferences.base) returned no JSON object of preferences.")
    }
}
