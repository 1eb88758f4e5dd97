import AuthKit
import FilmgateCore
import Foundation

/// What `whoami` and `login` say about one sign-in.
struct AccountLine {
    var name: String, module: String
    var facts: AccountFacts
    /// What could not be found out, and why.
    var trouble: IngestError?
    /// Secrets alone, with nobody to ask whether they are right.
    var hasNobodyToAsk = false
    /// What is left to spend there, and whether it was heard just now.
    var credits: CreditStore.Entry?, isHeardNow = false

    var isFine: Bool {
        if case .signedIn = facts.state { return true }
        return false
    }

    private var reason: String? {
        switch facts.state {
        case .expired(let why), .error(let why): why
        default: trouble?.message
        }
    }

    var json: String {
        var line = JSONWriter()
        line.add("type", "account")
        line.add("name", name)
        line.add("module", module)
        line.add("state", facts.state.word)
        if case .signedIn(let account) = facts.state {
            var who = JSONWriter()
            for (key, value) in [
                ("id", account.id), ("name", account.name), ("email", account.email), ("issuer", account.issuer),
            ] {
                who.add(key, value)
            }
            line.add("account", who)
        } else {
            line.add("account", nil as String?)
        }
        line.add("expires", facts.expires.flatMap { CivilTime(unixSeconds: Int64($0))?.description })
        line.add("renews", facts.renews)
        line.add("scope", facts.scope)
        line.add("origins", facts.origins)
        line.add("reason", reason)
        line.add("checkable", !hasNobodyToAsk)
        if let credits { line.add("credits", credits.object) } else { line.add("credits", nil as String?) }
        return line.finished
    }

    var text: String {
        let what =
            switch facts.state {
            case .signedIn where hasNobodyToAsk:
                "stored, not checked: only its targets can tell (`filmgate check --connect`)"
            case .signedIn(let account):
                "signed in as \(account.shown)" + (facts.renews ? "" : ", does not renew by itself")
            case .signedOut: "signed out"
            case .signingIn: "signing in"
            case .expired: "ended"
            case .locked: "locked"
            case .error: "in trouble"
            }
        var cure = ""
        if case .locked = facts.state { cure = (reason == nil ? ". " : " ") + PassphraseSource.advice }
        let left =
            credits.map {
                ", \(Describe.count($0.balance, "credit")) left\(isHeardNow ? "" : " (heard at \($0.heardAt))")"
            } ?? ""
        return Describe.name("\(name): \(what)\(left)" + (reason.map { ": \($0)" } ?? "") + cure)
    }
}

extension AccountLine {
    /// With what is left there: as it says when it is asked, or as it was heard last.
    mutating func addCredits(_ prompter: CreditInquiry) async {
        guard isFine, !prompter.places.isEmpty else { return }
        let began = Int(Date().timeIntervalSince1970), heard = await prompter.ask()
        isHeardNow = heard.first.map { $0.heard >= began } ?? false
        credits = heard.first ?? prompter.store.all().filter { $0.signIns.contains(name) }.max { $0.heard < $1.heard }
    }
}

extension SignIn {
    /// Looks at what is stored, and at fixed secrets where they are kept; with `asking`, also asks the provider.
    func line(asking: Bool) async -> AccountLine {
        var line = AccountLine(name: name, module: module, facts: AccountFacts(state: .signedOut))
        do throws(IngestError) {
            if let account {
                line.facts = try await account.restore(validating: asking)
            } else {
                try await provider.ready()
                line.facts.state = .signedIn(Account(id: provider.account ?? name))
                line.hasNobodyToAsk = true
            }
        } catch {
            line.trouble = error
            if error.isLocked { line.facts.state = .locked }
            // What could not be asked leaves what is stored.
            if let account, let facts = try? await account.restore(validating: false) { line.facts = facts }
        }
        return line
    }
}
