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
    /// Of each draft that is named, by its index: made once, since all suffixes share them.
    var parts: [Int: Parts] = [:]

    /// What the name of one file is made of.
    struct Parts {
        let asset: Asset, values: TemplateValues
        /// Of its shot's primary; nil when that is the file itself.
        let lead: TemplateValues?
    }

    func paths(of indices: [Int], suffix: Int) -> [String] {
        indices.map { index in
            parts[index].map { namer.path(of: $0.asset, values: $0.values, lead: $0.lead, suffix: suffix) } ?? ""
        }
    }

    func pattern(of index: Int) -> PathPattern {
        parts[index].map { namer.pattern(of: $0.asset, values: $0.values, lead: $0.lead) } ?? PathPattern("")
    }
}
