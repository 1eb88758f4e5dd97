import ArgumentParser
import FilmgateCore
import FilmgateStudio
import ServerKit

/// What the page proves itself with to other machines, as the command line names it.
struct StudioEncryption {
    /// Set where the page's own certificate is used: people compare its fingerprint.
    struct Proof { var certificate: ServerCertificate, fingerprint: String? }

    var isSelfSigned = false
    var certificate: String?, key: String?
    /// Before the names of the options.
    var prefix = "--"

    func validate() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("\(prefix)certificate and \(prefix)key go together.")
        }
        if isSelfSigned, certificate != nil {
            throw ValidationError("Either \(prefix)self-signed, or \(prefix)certificate and \(prefix)key.")
        }
    }

    var isWanted: Bool { isSelfSigned || certificate != nil }

    /// Nil where the page is not encrypted.
    ///
    /// `misconfigured` for a certificate that cannot be used. `names`: under which browsers ask, too. `paths`: where
    /// those of the certificate and the key start.
    func load(state: String, names: [String], from paths: UserPath) throws(IngestError) -> Proof? {
        if let certificate, let key {
            let pair = try ServerCertificate(certificate: paths.absolute(certificate), key: paths.absolute(key))
            return Proof(certificate: pair, fingerprint: nil)
        }
        guard isSelfSigned else { return nil }
        let own = try OwnCertificate(state: state, names: names)
        return Proof(certificate: own.certificate, fingerprint: own.fingerprint)
    }

    /// The same for the process that serves the page beside a run.
    func words(from paths: UserPath) -> [String] {
        if let certificate, let key {
            return ["--certificate=\(paths.absolute(certificate))", "--key=\(paths.absolute(key))"]
        }
        return isSelfSigned ? ["--self-signed"] : []
    }

    /// For who opens `link` on a telephone.
    static func tell(_ fingerprint: String, _ link: String, _ console: Console) {
        console.err(
            "The browser warns once: the certificate is this page's own. Go on when its SHA-256 fingerprint is\n\(fingerprint)"
        )
        guard console.stderrIsTerminal, let lines = QRText.lines(link, colour: console.usesColour) else { return }
        for line in lines { console.err(line) }
    }
}
