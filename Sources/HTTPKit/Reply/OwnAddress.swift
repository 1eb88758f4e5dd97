public import FilmgateCore

extension HTTPResponse {
    /// Throws `untrusted` where another address answered than the one that was asked: that says nothing about what
    /// stands at the first.
    public func requireOwnAddress() throws(IngestError) {
        try requireOwnAddress("sends questions about files on to", "no answer to them")
    }

    /// The same for what was sent with a file: that the other address answers at all does not mean that it keeps what
    /// comes there.
    public func requireOwnAddressForFiles() throws(IngestError) {
        try requireOwnAddress("sends files on to", "whether they are kept there is not known")
    }

    private func requireOwnAddress(_ does: String, _ so: String) throws(IngestError) {
        guard isRedirected else { return }
        let from = WebAddress(url)
        let path = from.map { redactor.scrub($0.path) } ?? "another address"
        throw IngestError(
            .untrusted, "\(from?.origin ?? "The server") \(does) \(HeaderText.clean(path)): \(so).",
            advice:
                "If that is a sign-in page, check `auth` and its rights; else write the right address into the pipeline file."
        )
    }
}
