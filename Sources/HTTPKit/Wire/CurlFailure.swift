import CCurl
import FilmgateCore

/// What libcurl's result codes mean to the engine.
enum CurlFailure {
    static func error(_ code: CURLcode, at address: WebAddress, words: String) -> IngestError {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS:
            return IngestError(
                .untrusted, "The certificate of \(address.origin) is not trusted: \(words). Nothing was sent.",
                advice:
                    "On a network with a sign-in page, sign in there first. If this is your own server, name its authority with `ca_file`."
            )
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED:
            return IngestError(
                .untrusted, "The certificates for \(address.origin) cannot be used: \(words). Nothing was sent.",
                advice: "Check that `ca_file` names a readable PEM file.")
        case CURLE_SSL_CONNECT_ERROR:
            return IngestError(
                .network, "No TLS with \(address.origin): \(words). Nothing was sent.",
                advice: "See whether the address has the right port, and whether `https` is spoken there.")
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT:
            return IngestError(.unexpected, "libcurl failed: \(words).")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_UNSUPPORTED_PROTOCOL:
            return IngestError(.unavailable, "\(address.origin) does not answer as a web server: \(words).")
        case CURLE_SEND_FAIL_REWIND:
            return IngestError(
                .network, "\(address.origin) hung up while the file was sent; whether it has it is not known.")
        default:
            return IngestError(.network, "No answer from \(address.origin): \(words).")
        }
    }
}
