import FilmgateCore

/// Asks a target who has a name, for no longer than its answer is worth waiting for.
struct NameInquiry: Sendable {
    let reservations: NameReservations
    /// Of the run, whose clock limits how long a target is asked.
    let stopping: CancelToken

    /// What a target says of a name; `silence` when it cannot be asked now: then the name is chosen by what we know
    /// ourselves, and the target is asked before anything is sent.
    enum Answer: Equatable { case told(Occupancy), silence }

    /// A target in a network is given a moment, a shorter one once the run is stopped.
    ///
    /// Folders must not wait for it, nor for one that was silent before.
    func ask(_ target: PlannedTarget, _ path: String, _ job: UploadJob) async throws(IngestError) -> Answer {
        if target.isLocal {
            do throws(IngestError) { return .told(try await target.target.occupancy(of: path, for: job)) } catch {
                // A disk that is gone keeps nothing from the others.
                guard error.code == .unavailable else { throw error }
                return .silence
            }
        }
        let answers = reservations.answers
        guard !answers.isSilent(target.identity) else { return .silence }
        let result = await answers.awaited(target) {
            await stopping.answer(within: answers.patience) { () async throws(IngestError) in
                try await target.target.occupancy(of: path, for: job)
            }
        }
        switch result {
        case .success(let answer)?:
            answers.note(silent: false, target.identity)
            return .told(answer)
        // A server that is set up wrongly holds its own queue, once it is to be sent something; the folders get theirs.
        case .failure(let error)? where !isSilence(error): throw error
        case .failure, nil:
            answers.note(silent: true, target.identity)
            return .silence
        }
    }

    /// Whether an error says nothing of the file; one that was broken off because the run is stopped is no answer.
    private func isSilence(_ error: IngestError) -> Bool {
        error.code.isAboutTheTarget || error.code == .misconfigured || error.code == .cancelled && stopping.isSet
    }
}
