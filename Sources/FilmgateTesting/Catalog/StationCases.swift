/// Who a station is, whether it is there, and what whoever keeps the catalogue does to it.
enum StationCases {
    static let memberships: [CatalogCase] = [
        CatalogCase(
            "a station is found again, by whatever name", fresh: true,
            """
            1 join → epoch 1, applied 0
            1 open → applied 0, for 60 s
            1 tell done:a → known to 1
            1 join name=press site=north → epoch 1, applied 1
            2 join → epoch 1, applied 0
            1 stations → desk-2 away 0; press present 1 north
            """),
        CatalogCase(
            "a name is one station's, and neither empty nor long", fresh: true,
            """
            1 join name=x → epoch 1, applied 0
            2 join name=x → refused: misconfigured
            2 join name= → refused: rejected
            2 join name=*65 → refused: rejected
            2 join name=*64 site=*65 → refused: rejected
            2 join name=*64 site=*64 → epoch 1, applied 0
            2 join name=x → refused: misconfigured
            """),
        CatalogCase(
            "an identity is 32 digits", fresh: true,
            """
            1 join uuid=abc → refused: rejected
            1 join → epoch 1, applied 0
            """),
        CatalogCase(
            "a stranger has not joined", fresh: true,
            """
            1 open → refused: notFound
            1 standing → refused: notFound
            2 join → epoch 1, applied 0
            1 open → refused: notFound
            """),
        CatalogCase(
            "an identity that is taken anew ends the life before",
            """
            1 claim a → granted
            1 join anew → epoch 2, applied 0
            1 renew → over
            1 open epoch=1 → refused: rejected
            1 standing epoch=1 → refused: rejected
            1 open forgetful → applied 0, for 60 s
            1 claim a → taken over
            """),
        CatalogCase(
            "a copied identity is noticed while both are there",
            """
            1 open forgetful → refused: stateLocked
            1 standing forgetful → refused: stateLocked
            1 standing → applied 0
            1 renew → lasts
            1 leave → left
            1 standing forgetful → applied 0
            1 open forgetful → applied 0, for 60 s
            """),
        CatalogCase(
            "what a station has told stays over its sessions",
            """
            1 tell done:a upto=7 → known to 7
            1 leave → left
            1 open → applied 7, for 60 s
            1 standing → applied 7
            1 join anew → epoch 2, applied 7
            """),
    ]

    static let sessions: [CatalogCase] = [
        CatalogCase(
            "a session that is over stays over",
            """
            time 61 → 61 s later
            1 renew → over
            1 claim a → refused: cancelled
            1 tell done:a → over
            1 release a → 0 given back
            1 card a → refused: cancelled
            1 open → applied 0, for 60 s
            1 renew → lasts
            1 claim a → granted
            """),
        CatalogCase(
            "a status is kept until the next session, and no huge one",
            """
            1 renew {"waiting": 3} → lasts
            1 renew → lasts
            2 stations → desk-1 present 0 {"waiting": 3}; desk-2 present 0; desk-3 present 0
            1 renew huge → lasts
            2 stations → desk-1 present 0 {"waiting": 3}; desk-2 present 0; desk-3 present 0
            1 open → applied 0, for 60 s
            2 stations → desk-1 present 0; desk-2 present 0; desk-3 present 0
            """),
        CatalogCase(
            "a station that leaves is away, and may say so twice",
            """
            1 leave → left
            1 leave → left
            1 renew → over
            2 stations → desk-1 away 0; desk-2 present 0; desk-3 present 0
            """),
        CatalogCase(
            "an absent catalogue says nothing, and has forgotten nothing when it is back",
            """
            1 claim a → granted
            catalog away → away
            1 claim b → refused: unavailable
            1 release a → refused: unavailable
            1 tell done:a → refused: unavailable
            1 renew → refused: unavailable
            2 renew → refused: unavailable
            1 where a → refused: unavailable
            1 card a → refused: unavailable
            1 stations → refused: unavailable
            1 standing → refused: unavailable
            1 open → refused: unavailable
            1 join → refused: unavailable
            1 leave → refused: unavailable
            owner revoke desk-1 → refused: unavailable
            owner free desk-1 → refused: unavailable
            catalog back → back
            1 renew → lasts
            2 claim a b → held by desk-1, granted
            1 tell done:a → known to 1
            """),
    ]

    static let keeping: [CatalogCase] = [
        CatalogCase(
            "who was shut out is out",
            """
            owner revoke desk-1 → shut out
            1 renew → over
            1 claim a → refused: cancelled
            1 tell done:a → over
            1 open → refused: unauthorized
            1 standing → refused: unauthorized
            1 join → refused: unauthorized
            owner revoke desk-1 → shut out
            owner revoke desk-9 → nobody
            2 stations → desk-1 shut out 0; desk-2 present 0; desk-3 present 0
            """),
        CatalogCase(
            "words without proof of who was shut out are in doubt",
            """
            1 tell done:a+none done:b+size done:c → known to 1
            1 tell removed:d → known to 2
            owner revoke desk-1 → shut out
            2 where a c → desk-1 done gallery x/c server 5 of t|gallery; desk-1 unsure gallery x/a none 5 of t|gallery
            2 claim a+dumb b+idempotent → unsure by desk-1, taken over
            2 claim c d → done by desk-1 at x/c, taken over
            3 claim a b → taken over, held by desk-2
            """),
        CatalogCase(
            "given back, a doubted word is in doubt still",
            """
            1 tell done:a+none → known to 1
            owner revoke desk-1 → shut out
            2 claim a → taken over
            2 release a → 1 given back
            3 claim a+dumb → unsure by desk-1
            """),
        CatalogCase(
            "who was shut out says nothing of cards, and has seen what it saw",
            """
            1 tell seen:a=delivered → known to 1
            2 card a → desk-1: 1 delivered
            owner revoke desk-1 → shut out
            2 card a → nobody
            2 where a → desk-1 seen DCIM/a.JPG delivered - 7
            """),
        CatalogCase(
            "a person gives free what a lost station had claimed",
            """
            1 claim a+dumb b → granted
            owner free desk-1 → refused: stateLocked
            1 leave → left
            owner free desk-1 → 2 free
            owner free desk-1 → 0 free
            owner free desk-9 → nobody
            2 claim a+dumb b → granted
            """),
        CatalogCase(
            "what stood before a claim that is given free stands again",
            """
            3 tell done:a removed:b → known to 1
            1 claim a+insists b+again → granted
            1 leave → left
            owner free desk-1 → 2 free
            2 claim a b → done by desk-3 at x/a, removed by desk-3
            """),
    ]
}
