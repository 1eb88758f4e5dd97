public import FilmgateCore

extension HTTPResponse {
    /// Throws `untrusted` where another address answered than the one that was asked: that says nothing about what stands at the first.
    public func requireOwnAddress() throws(IngestError) {
        guard isRedirected else { return }
        let from = WebAddress(url)
        let path = from.map { redactor.scrub($0.path) } ?? "another address"
        throw IngestError(
            .untrusted, "\(from?.origin ?? "The server") sends questions about files on to \(HeaderText.clean(path)): no answer to them.",
            advice: "If that is a sign-in page, check `auth` and its rights; else write the right address into the pipeline file.")
    }
}
