import FilmgateCore
import HTTPKit

extension HTTPOptions {
    /// What the engine must know; `provider`: nil without a sign-in.
    func traits(_ context: ModuleContext, _ provider: (any AuthProvider)?) -> TargetTraits {
        let place = WebAddress(url.base).map { $0.origin + $0.path } ?? url.base
        let signIn = TargetTraits.SignIn(auth, account: account, provider, place: "http:\(place)", context)
        let key = headers.contains {
            $0.key.lowercased() == "idempotency-key" && $0.value.uses.contains("sha256")
        }
        let used = templates.reduce(into: Set<String>()) { $0.formUnion($1.uses) }
        var digests = Set([DigestAlgorithm.sha1, .md5].filter { used.contains($0.rawValue) })
        digests.formUnion(
            sendDigest.map(\.algorithm)
                + [digest?.algorithm, find?.digest?.algorithm].compactMap { $0 })
        var traits = TargetTraits(
            identity: signIn.identity,
            layout: url.layout, digests: digests.subtracting([.sha256]).union([.xxh128]),
            parallel: workers, idempotent: verb == .put || deduplicates || key,
            accepts: accept.map { Set($0) }, maxSize: maxSize?.bytes)
        (traits.address, traits.answersByDigest) = (place, find != nil)
        (traits.signIn, traits.event) = (account == nil ? signIn : nil, signIn.event)
        if !traits.idempotent, find == nil {
            traits.warnings.append(
                "After a lost answer a file may be stored twice: say with `find` how to ask for it, "
                    + "or set `deduplicates`."
            )
        }
        return traits
    }

    /// A receipt's address as the server wants to be asked for it: with the literal query of `url`, which receipts do
    /// not keep.
    func readable(_ address: String) -> String {
        guard isNamed(address), let query = url.query, query.uses.isEmpty else { return address }
        return address + "?" + query.source
    }

    /// Whether files are PUT there, so that what stands there is the file itself.
    func isNamed(_ address: String) -> Bool {
        guard namesByPath, let base = WebAddress(url.base)?.text else { return false }
        return (WebAddress(address)?.text ?? address).hasPrefix(base)
    }
}
