import FilmgateCore
import HTTPKit

/// What a module's children were told and nothing may show: its secrets, also those of before, and what the latest
/// requests were signed with for it.
struct HiddenWords: Sendable {
    /// So many signed requests are remembered.
    static let most = 64

    private var secrets = Redactor(), signed: [Redactor] = []
    private(set) var redactor = Redactor()

    /// A secret that was replaced stays hidden: a child may still speak of it.
    mutating func add(secrets values: [SecretValue]) {
        secrets.add(Redactor(secrets: values))
        combine()
    }

    /// Everything that signing added.
    mutating func add(plain: HTTPRequest, signed request: HTTPRequest) {
        let added = Redactor(plain: plain, signed: request)
        guard !redactor.covers(added) else { return }
        signed.append(added)
        if signed.count > Self.most { signed.removeFirst() }
        combine()
    }

    private mutating func combine() {
        redactor = secrets
        for one in signed { redactor.add(one) }
    }
}
