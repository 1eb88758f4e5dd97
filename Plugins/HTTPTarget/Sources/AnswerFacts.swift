import FilmgateCore
import HTTPKit

/// What a server's answer proves about the bytes.
enum AnswerProof: Hashable {
    case equal, differs(String), silent
}

extension DigestEcho {
    /// Compares the digest that the answer repeats with ours.
    func proof(in response: HTTPResponse, for digests: Digests) -> AnswerProof {
        let said = header.isEmpty ? response.json?.at(json)?.text : response[header: header]
        guard let said, let ours = digests[algorithm], let bytes = Hex.bytes(ours) else { return .silent }
        let forms = Self.forms(of: said)
        if forms.contains(where: { $0.lowercased() == ours || Base64.bytes($0) == bytes }) { return .equal }
        return .differs(HeaderText.clean(String(said.prefix(200))))
    }

    /// The bare value, and what stands after `sha-256=`, with the colons of RFC 9530 taken off.
    private static func forms(of text: String) -> [Substring] {
        var forms = [text[...]]
        for item in text.split(separator: ",").prefix(8) {
            guard let equals = item.firstIndex(of: "=") else { continue }
            forms.append(item[item.index(after: equals)...].drop { $0 == ":" })
        }
        return forms.map { form in
            var form = form
            while let last = form.last, ": \"".contains(last) { form.removeLast() }
            while let first = form.first, ": \"".contains(first) { form.removeFirst() }
            return form
        }
    }
}

extension ReceiptOptions {
    /// The receipt for bytes that the server has, with whatever name it gave them.
    func receipt(
        from response: HTTPResponse, for job: UploadJob, proof: Receipt.Proof, existed: Bool = false
    ) -> Receipt {
        let json = response.json
        let id = (idHeader.isEmpty ? nil : response[header: idHeader]) ?? json?.at(idJSON)?.text
        let place = json?.at(urlJSON)?.text ?? (urlHeader.isEmpty ? nil : response[header: urlHeader])
        var url = place.flatMap { WebAddress($0, relativeTo: response.url)?.text }
        // What an address's query holds may be a signature: never kept.
        url = url.map { String($0.prefix { $0 != "?" }) }
        return Receipt(
            state: .done, url: url, id: id.map { String(HeaderText.clean($0).prefix(500)) }, sha256: job.digests.sha256,
            verified: proof, at: WallClock.nanoseconds, existed: existed || json?.at(existedJSON) == .bool(true))
    }
}
