import FilmgateCore

/// The names given out in this run and not yet on disk or in the ledger, and the counters.
///
/// Asked shot by shot in card order. Each run and each job has one; all of it is in the register that they share, so
/// that each sees what the others give, and goes with it.
final class NameReservations: Sendable {
    private let register: NameRegister
    /// By which the register knows what was given here.
    private let number: Int
    /// Which targets can be asked what a name holds.
    let answers: TargetAnswers

    /// `register` is that of all runs that work on one state at the same time.
    init(_ register: NameRegister = NameRegister(), answers: TargetAnswers = TargetAnswers()) {
        (self.register, number, self.answers) = (register, register.join(), answers)
    }

    deinit { register.leave(number) }

    func holder(of path: String, at target: String) -> ContentKey? { register.holder(of: path, at: target) }

    /// The shot of the file that has that name.
    func shot(at path: String, of target: String) -> ShotIdentity? { register.shot(at: path, of: target) }

    /// `stem`: what all files of its shot are called but for their extensions.
    func give(_ path: String, to content: ContentKey, at target: String, _ shot: ShotIdentity, stem: String? = nil) {
        register.give(path, to: content, at: target, shot, stem: stem, by: number)
    }

    /// The files that were given such a name in this run, or beside it.
    func files(named stem: String, at target: String) -> [(content: ContentKey, shot: ShotIdentity)] {
        register.files(named: stem, at: target)
    }

    /// How many names were given beside this run: what was found out before the last of them may be out of date.
    var givenBeside: Int { register.gifts(but: number) }

    /// Keeps such names for the shot while its target is asked; false where another shot does.
    func claim(_ stem: String, at target: String, for shot: String) -> Bool {
        register.claim(stem, at: target, for: shot, by: number)
    }

    /// Asked: what it keeps has been given to it.
    func endClaims(of shot: String, at target: String) { register.endClaims(of: shot, at: target, by: number) }

    /// The shot has that name from now on.
    func note(_ name: ShotName, of shot: String, at target: String, event: String?) {
        register.note(name, of: shot, at: target, event: event, by: number)
    }

    /// The names that shots of that place and stem were given and that the ledger may not know yet.
    func shotNames(below place: String, at target: String, event: String?) -> [(shot: String, name: ShotName)] {
        register.shotNames(below: place, at: target, event: event)
    }

    /// True when these bytes got their name from an earlier file of this run: they need no second one.
    func isPromised(_ content: ContentKey, at target: String) -> Bool {
        register.isPromised(content, at: target, by: number)
    }

    /// A shot's names are about to be chosen, by what the ledger knows from now on: what was final before needs no
    /// second memory.
    func beginPlacing() { register.beginPlacing(by: number) }

    /// The delivery is final, and the ledger knows.
    func conclude(_ id: Delivery.ID) { register.conclude(id, by: number) }

    /// Became final since names were chosen last: whoever chose them may not have seen it in the ledger yet.
    func isConcluded(_ id: Delivery.ID) -> Bool { register.isConcluded(id, by: number) }

    /// How many deliveries and names it remembers.
    var count: Int { register.count + register.count(of: number) }

    /// Once a delivery is final, the disk and the ledger remember its name, and what its shot is called.
    func release(_ delivery: Delivery) {
        releaseName(of: delivery)
        if let shot = delivery.name?.shot, delivery.name?.isGiven == true {
            register.forget(shot, at: delivery.id.target, event: delivery.job.event)
        }
    }

    /// Another scheduler sends it, under the name that it has there.
    func releaseName(of delivery: Delivery) {
        register.release(delivery.job.path, of: delivery.id.content, at: delivery.id.target, by: number)
    }

    /// The value of `{counter}` for a shot that has none in the ledger; `last` is what the ledger gave last.
    func number(of shot: String, at target: String, event: String?, after last: Int) -> Int {
        register.number(of: shot, at: target, event: event, after: last, by: number)
    }
}
