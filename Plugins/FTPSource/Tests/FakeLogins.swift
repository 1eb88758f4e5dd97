import FTPKit
import FilmgateCore
import Foundation
import Synchronization

@testable import FTPSource

/// A studio's service for logins, in memory.
final class FakeLogins: LoginService, LoginServices {
    struct State {
        /// By user and password.
        var grants: [String: LoginGrant] = [:]
        var isAway = false, questions: [String] = [], addresses: [String] = []
        var underWay = 0, most = 0
    }
    let state = Mutex(State())
    /// How long an answer takes.
    private let pause: Duration

    init(_ grants: [String: LoginGrant] = [:], pause: Duration = .zero) {
        self.pause = pause
        state.withLock { $0.grants = grants }
    }

    var questions: [String] { state.withLock(\.questions) }

    func answer(_ question: LoginQuestion) async throws(IngestError) -> LoginAnswer {
        let key = "\(question.user) \(question.password.reveal())"
        state.withLock { state in
            state.questions.append(key)
            state.addresses.append(question.address)
            state.underWay += 1
            state.most = max(state.most, state.underWay)
        }
        if pause > .zero { try? await Task.sleep(for: pause) }
        let (answer, isAway) = state.withLock { state in
            state.underWay -= 1
            return (state.grants[key].map { LoginAnswer.granted($0) } ?? .refused, state.isAway)
        }
        if isAway { throw IngestError(.unavailable, "nobody answers") }
        return answer
    }

    func program(_ words: [String], timeout: Duration) -> any LoginService { self }
    func web(_ url: String, token: SecretValue?, caFile: String?, timeout: Duration) -> any LoginService { self }

    /// As the options name it.
    static var asking: PushLogins {
        var asking = PushAsking()
        asking.exec.words = ["/nowhere/logins"]
        return .asked(asking)
    }
}
