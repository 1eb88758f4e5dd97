import FTPKit
import FilmgateCore
import Synchronization

/// Asks a program or a service of the studio who may push, and remembers for a minute who may, and from where.
///
/// The address is part of the question: another one may be let in at another event, or not at all. Who may not is asked
/// for again each time: that is what guesses are counted by. Passwords stay in memory.
final class AskedLogins: FTPLoginDirectory {
    private struct Known: Sendable {
        var password: SecretValue, login: FTPLogin, until: ContinuousClock.Instant
    }
    private struct Key: Hashable, Sendable { var user: String, address: String }
    struct Clock: Sendable {
        var now: @Sendable () -> ContinuousClock.Instant = { .now }
        /// Seconds since 1970.
        var wall: @Sendable () -> Int64 = { Int64(WallClock.seconds) }
    }
    static let memory = Duration.seconds(60), most = 1024, longestUser = 64, longestPassword = 256

    private let service: any LoginService, clock: Clock
    /// Where the files of an event go; blocks for the disk.
    private let destination: @Sendable (String) throws(IngestError) -> FTPDestination
    private let pool = BlockingPool(width: 2)
    private let known = Mutex<[Key: Known]>([:])

    init(
        _ service: any LoginService, clock: Clock = Clock(),
        destination: @escaping @Sendable (String) throws(IngestError) -> FTPDestination
    ) {
        (self.service, self.clock, self.destination) = (service, clock, destination)
    }

    /// How many are remembered.
    var count: Int { known.withLock(\.count) }

    /// Guesses count for whatever name they are made at: nobody here knows which there are.
    func name(of user: String) -> String? { Self.isName(user) ? user : nil }

    func verdict(_ user: String, _ password: String, from address: String) async -> FTPVerdict {
        guard Self.isName(user), (1...Self.longestPassword).contains(password.utf8.count) else { return .wrong }
        if let login = remembered(Key(user: user, address: address), password) { return .right(login) }
        let result = await Result { () async throws(IngestError) in
            try await ask(LoginQuestion(user: user, password: SecretValue(password), address: address))
        }
        switch result {
        case .success(let login?): return .right(login)
        case .success(nil): return .wrong
        case .failure(let error): return .unknown(error.message)
        }
    }

    private static func isName(_ user: String) -> Bool {
        (1...longestUser).contains(user.utf8.count)
            && !user.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    private func remembered(_ key: Key, _ password: String) -> FTPLogin? {
        let now = clock.now()
        return known.withLock { known in
            guard let one = known[key], one.until > now, FTPPassword.isEqual(one.password.reveal(), password) else {
                return nil
            }
            return one.login
        }
    }

    /// Nil where that login is refused, or has expired.
    private func ask(_ question: LoginQuestion) async throws(IngestError) -> FTPLogin? {
        let begun = clock.now()
        guard case .granted(let grant) = try await service.answer(question) else { return nil }
        let left = grant.expires.map { Duration.seconds($0 - clock.wall()) }
        if let left, left <= .zero { return nil }
        let folder = grant.folder ?? question.user
        guard PushFolder.isOne(folder), let home = FTPHome(user: question.user, folder: folder).name else {
            throw IngestError(.unavailable, "the folder that belongs to the login is no folder's name")
        }
        var login = FTPLogin(user: question.user, folder: folder, home: home)
        login.expires = left.map { clock.now() + $0 }
        if let event = grant.event {
            // Whoever is not believed any more keeps no event, either.
            forget()
            login.destination = try await pool.run { [destination] () throws(IngestError) in try destination(event) }
        }
        // From when it was asked: a service that is slow is not believed for longer.
        let until = min(begun + Self.memory, login.expires ?? begun + Self.memory)
        keep(
            Known(password: question.password, login: login, until: until),
            of: Key(user: question.user, address: question.address))
        return login
    }

    private func forget() {
        let now = clock.now()
        known.withLock { known in known = known.filter { $0.value.until > now } }
    }

    private func keep(_ one: Known, of key: Key) {
        let now = clock.now()
        known.withLock { known in
            known[key] = one
            guard known.count > Self.most else { return }
            known = known.filter { $0.value.until > now }
            guard known.count > Self.most else { return }
            let middle = known.values.map(\.until).sorted()[known.count / 2]
            known = known.filter { $0.value.until > middle || $0.key == key }
        }
    }
}
