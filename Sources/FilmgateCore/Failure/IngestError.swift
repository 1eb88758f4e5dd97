/// What went wrong at a module's boundary: a code that the engine acts on, a sentence for a person, and advice where
/// there is any.
public struct IngestError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        case deviceBusy, accessDenied, deviceGone, protocolViolation, corruptData, unreadable, storageFull,
            unauthorized, rateLimited,
            network,
            unavailable, rejected, nameTaken, notFound, misconfigured, stateLocked, cancelled, unexpected
        /// The far side could not be proven to be the one that the file names: its certificate fails, or it sends us
        /// elsewhere.
        case untrusted
    }
    public var code: Code
    /// What and where, in one sentence, without secrets.
    public var message: String
    /// What to do about it.
    public var advice: String?
    /// How long the other side asked us to wait.
    public var retryAfter: Duration?
    public var cause: (any Error)?

    public init(
        _ code: Code, _ message: String, advice: String? = nil, retryAfter: Duration? = nil, cause: (any Error)? = nil
    ) {
        (self.code, self.message, self.advice, self.retryAfter, self.cause) = (code, message, advice, retryAfter, cause)
    }

    /// Message and advice, each a sentence.
    public var description: String {
        guard let advice else { return message }
        let isSentence = message.last.map { ".!?…:".contains($0) } ?? true
        return "\(message)\(isSentence ? "" : ".") \(advice)"
    }
}

/// What the engine does about a failure; only the engine reads it.
public enum Disposition: Sendable, Hashable {
    /// Try again after a while; the far side's own delay wins.
    case retry
    /// Renew the credential once, then hold that target's queue.
    case renewThenHold
    /// Stop sending to that target; the rest goes on.
    case pauseTarget
    /// This asset ends here, its bytes are kept.
    case setAside
    case closeDevice
    case unwind
    case stop
}

extension IngestError.Code {
    /// The one table.
    public var disposition: Disposition {
        switch self {
        case .deviceBusy, .rateLimited, .network, .unavailable: .retry
        case .accessDenied, .deviceGone, .protocolViolation: .closeDevice
        case .corruptData, .unreadable, .rejected, .nameTaken, .notFound: .setAside
        case .storageFull, .untrusted: .pauseTarget
        case .unauthorized: .renewThenHold
        case .cancelled: .unwind
        case .misconfigured, .stateLocked, .unexpected: .stop
        }
    }
}

extension IngestError.Code {
    /// The target or the way to it is in trouble, not the one file: nothing about the file is decided by it.
    public var isAboutTheTarget: Bool {
        switch disposition {
        case .retry, .renewThenHold, .pauseTarget, .closeDevice: true
        case .setAside, .unwind, .stop: false
        }
    }
}

extension Result {
    /// The asynchronous twin of `Result(catching:)`: keeps the typed error where task groups would lose it.
    @inlinable public init(catching body: () async throws(Failure) -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
