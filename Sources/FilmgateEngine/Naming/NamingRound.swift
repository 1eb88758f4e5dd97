import FilmgateCore

/// What the names of one shot at one target are made of.
struct NamingRound {
    let target: PlannedTarget, namer: Namer
    /// What its name is remembered under.
    let shot: String
    let values: ShotValues, lead: NamingPrimary?
    /// As the scheduler calls it when it asks about names.
    var claimant: String { target.identity + "\u{1F}" + shot }
    /// Of its clip tree.
    var home: TemplateValues?
    /// Where the search for a free name begins.
    var name = ShotName(counter: 0, suffix: 1, base: "")
    /// Who stands at a suffix, once that was asked; and how many names had been given beside this run before.
    var company: [Int: SiblingNames.Sibling] = [:], givenBeside = 0
    /// The shot has its name: what cannot have it changes nothing about that.
    var isNamed = false
}
