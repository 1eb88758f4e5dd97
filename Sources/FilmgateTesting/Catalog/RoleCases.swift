/// What a role may do, with its own stations and with others', and how stations go that said that they come and go.
enum RoleCases {
    static let rights: [CatalogCase] = [
        CatalogCase(
            "a session is of no use to another role",
            """
            1 claim a → granted
            1@2 renew → over
            1@2 claim a → refused: cancelled
            1@2 tell done:a → over
            1@2 release a → 0 given back
            1@2 card a → refused: cancelled
            1@2 leave → left
            1 renew → lasts
            2 claim a → held by desk-1
            1 tell done:a → known to 1
            """),
        CatalogCase(
            "an identity is of no use to another role",
            """
            1 leave → left
            1@2 open → refused: notFound
            1@2 standing → refused: notFound
            1@2 join → refused: unauthorized
            1@2 join anew → refused: unauthorized
            1 standing → applied 0
            1 join → epoch 1, applied 0
            1 open → applied 0, for 60 s
            """),
        CatalogCase(
            "no station shuts another out, or gives free what it claimed",
            """
            1 claim a+dumb → granted
            2 revoke desk-1 → refused: unauthorized
            2 free desk-1 → refused: unauthorized
            1 revoke desk-1 → refused: unauthorized
            1 renew → lasts
            1 leave → left
            2 free desk-1 → refused: unauthorized
            2 claim a+dumb → unsure by desk-1
            """),
        CatalogCase(
            "a role whose stations were all shut out is told nothing, and joins no more",
            """
            1 tell done:a → known to 1
            owner revoke desk-1 → shut out
            1 stations → refused: unauthorized
            1 where a → refused: unauthorized
            1 join → refused: unauthorized
            4@1 join → refused: unauthorized
            4@1 join passing → refused: unauthorized
            4 join → epoch 1, applied 0
            2 where a → desk-1 done gallery x/a server 5 of t|gallery
            """),
        CatalogCase(
            "a role that has another station goes on with that",
            """
            4@1 join → epoch 1, applied 0
            4@1 open → applied 0, for 60 s
            owner revoke desk-1 → shut out
            1 open → refused: unauthorized
            4@1 stations → desk-1 shut out 0; desk-2 present 0; desk-3 present 0; desk-4 present 0
            4@1 claim a → granted
            2 claim a → held by desk-4
            """),
        CatalogCase(
            "one role that many stations share keeps them apart",
            """
            4@1 join → epoch 1, applied 0
            4@1 open → applied 0, for 60 s
            1 claim a → granted
            4@1 claim a → held by desk-1
            4@1 release a → 0 given back
            4@1 tell done:b → known to 1
            1 claim b → done by desk-4 at x/b
            1 standing → applied 0
            """),
    ]

    static let passing: [CatalogCase] = [
        CatalogCase(
            "a day after its last session one that comes and goes is retired, and back with the next", fresh: true,
            """
            1 join name=worker passing → epoch 1, applied 0
            1 open → applied 0, for 60 s
            1 tell done:a → known to 1
            1 leave → left
            2 join → epoch 1, applied 0
            time 86000 → 86000 s later
            2 open → applied 0, for 60 s
            2 stations → desk-2 present 0; worker away 1
            time 800 → 800 s later
            2 open → applied 0, for 60 s
            2 stations → desk-2 present 0
            2 where a → worker~ done gallery x/a server 5 of t|gallery
            1 standing → applied 1
            1 open → applied 1, for 60 s
            2 stations → desk-2 present 0; worker present 1
            """),
        CatalogCase(
            "the next of its name has that, and it comes back under another", fresh: true,
            """
            1 join name=worker passing → epoch 1, applied 0
            1 open → applied 0, for 60 s
            1 tell done:a → known to 1
            1 leave → left
            4@1 join name=worker passing → epoch 1, applied 0
            4@1 stations → worker away 0
            1 open → applied 1, for 60 s
            4@1 stations → worker away 0; worker~ present 1
            4@1 open → applied 0, for 60 s
            4@1 claim a → done by worker~ at x/a
            """),
        CatalogCase(
            "only one of its own role has its name, and only once it is gone", fresh: true,
            """
            1 join name=worker passing → epoch 1, applied 0
            1 open → applied 0, for 60 s
            4@1 join name=worker passing → refused: misconfigured
            1 leave → left
            2 join name=worker passing → refused: misconfigured
            4@1 join name=worker passing → epoch 1, applied 0
            3@1 join name=worker passing → refused: misconfigured
            time 700 → 700 s later
            3@1 join name=worker passing → epoch 1, applied 0
            """),
        CatalogCase(
            "one that does not come and go keeps its place and its name",
            """
            time 900000 → 900000 s later
            1 open → applied 0, for 60 s
            4@2 join name=desk-2 passing → refused: misconfigured
            1 stations → desk-1 present 0; desk-2 away 0; desk-3 away 0
            """),
        CatalogCase(
            "one that has something to tell is not retired, though a newcomer has its name", fresh: true,
            """
            1 join name=worker passing → epoch 1, applied 0
            1 open → applied 0, for 60 s
            1 renew {"untold": 3, "waiting": 0} → lasts
            1 leave → left
            2 join → epoch 1, applied 0
            time 900000 → 900000 s later
            2 open → applied 0, for 60 s
            2 stations → desk-2 present 0; worker away 0 {"untold": 3, "waiting": 0}
            4@1 join name=worker passing → epoch 1, applied 0
            2 stations → desk-2 present 0; worker away 0; worker~ away 0 {"untold": 3, "waiting": 0}
            1 open → applied 0, for 60 s
            1 tell done:a → known to 1
            """),
        CatalogCase(
            "what one that was shut out has to deliver is waited for no longer", fresh: true,
            """
            1 join name=worker passing → epoch 1, applied 0
            1 open → applied 0, for 60 s
            1 renew {"untold": 0, "waiting": 2} → lasts
            1 leave → left
            2 join → epoch 1, applied 0
            time 900000 → 900000 s later
            2 open → applied 0, for 60 s
            2 stations → desk-2 present 0; worker away 0 {"untold": 0, "waiting": 2}
            owner revoke worker → shut out
            time 900000 → 900000 s later
            2 open → applied 0, for 60 s
            2 stations → desk-2 present 0
            1 open → refused: unauthorized
            4@1 join passing → epoch 1, applied 0
            """),
        CatalogCase(
            "what a retired one had claimed is another's, or unsure", fresh: true,
            """
            1 join name=worker passing → epoch 1, applied 0
            1 open → applied 0, for 60 s
            1 claim a b+dumb → granted
            2 join → epoch 1, applied 0
            time 900000 → 900000 s later
            2 open → applied 0, for 60 s
            2 stations → desk-2 present 0
            2 claim a b+dumb → taken over, unsure by worker~
            """),
    ]
}
