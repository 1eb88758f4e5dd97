package import FilmgateCore

/// Who may push.
package struct FTPLogin: Sendable {
    package var user: String
    /// Where this login's files are shown: the first part of their path.
    package var folder: String
    /// Its folder in the inbox, which no other login has.
    package var home: String
    /// Until when it holds; nil: as long as its client is connected.
    package var expires: ContinuousClock.Instant?
    /// Where its files go; nil: where the server's do.
    package var destination: FTPDestination?
    let password: SecretValue

    package init(user: String, password: SecretValue, folder: String) {
        (self.user, self.password, self.folder) = (user, password, folder)
        home = FTPServer.folderName(user)
    }

    /// One whose password somebody else has looked at.
    package init(user: String, folder: String, home: String) {
        (self.user, self.folder, self.home, password) = (user, folder, home, SecretValue(""))
    }

    var hasExpired: Bool { expires.map { $0 <= .now } ?? false }
}

/// What a password comes to.
package enum FTPVerdict: Sendable {
    case right(FTPLogin)
    case wrong
    /// Nobody could say; with the reason, for the log. It counts as no guess at the login; its address waits all the
    /// same.
    case unknown(String)
}

/// Knows who may push.
package protocol FTPLoginDirectory: Sendable {
    /// Looks at a password; may take its time.
    func verdict(_ user: String, _ password: String, from address: String) async -> FTPVerdict
    /// Under which name guesses at that user are counted; nil where nobody has that name.
    func name(of user: String) -> String?
}

/// Logins that are all known beforehand.
package struct FTPLoginList: FTPLoginDirectory {
    private let logins: [FTPLogin]

    package init(_ logins: [FTPLogin]) { self.logins = logins }

    package func name(of user: String) -> String? { logins.first { $0.user == user }?.user }

    package func verdict(_ user: String, _ password: String, from address: String) async -> FTPVerdict {
        let found = logins.first { $0.user == user }
        // Names that nobody has take as long as those that somebody has.
        let isEqual = FTPPassword.isEqual(found?.password.reveal() ?? "\u{0}", password)
        guard isEqual, let found else { return .wrong }
        return .right(found)
    }
}

package enum FTPPassword {
    /// Takes the same time wherever the first difference is.
    package static func isEqual(_ a: String, _ b: String) -> Bool {
        let first = Array(a.utf8), second = Array(b.utf8)
        var difference = first.count ^ second.count
        for index in 0..<max(first.count, second.count) {
            difference |= Int(index < first.count ? first[index] : 0) ^ Int(index < second.count ? second[index] : 0)
        }
        return difference == 0
    }
}
