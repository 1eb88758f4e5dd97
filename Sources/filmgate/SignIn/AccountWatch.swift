import AuthKit
import FilmgateCore
import Logging

/// Restores a run's sign-ins at its start, side by side with the work, and tells when one needs a person.
struct AccountWatch {
    private let tasks: [Task<Void, Never>]

    init(_ signIns: [(name: String, provider: any AuthProvider)], _ logger: Logger) {
        tasks = signIns.compactMap { entry in
            guard let account = entry.provider as? any AccountProvider else { return nil }
            return Task {
                do throws(IngestError) { _ = try await account.restore(validating: true) } catch {
                    logger.info("\(entry.name): not asked yet: \(error.message)")
                }
                for await state in await account.states() {
                    guard let sentence = Self.sentence(state) else { continue }
                    let cure = state == .locked ? PassphraseSource.advice : "Run `filmgate login \(entry.name)`."
                    logger.warning("\(entry.name): \(sentence) \(cure)")
                }
            }
        }
    }

    func end() { for task in tasks { task.cancel() } }

    /// What is wrong with a state; nil for those that need nobody.
    private static func sentence(_ state: AccountState) -> String? {
        switch state {
        case .signedOut: "nobody is signed in; its targets wait."
        case .expired(let why): "\(why) Its targets wait."
        case .locked: "the secret store is locked; its targets wait."
        case .error(let why): why
        case .signingIn, .signedIn: nil
        }
    }
}
