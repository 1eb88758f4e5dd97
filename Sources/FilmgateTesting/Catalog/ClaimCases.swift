/// Who is given a delivery, who is not, and what is left behind when it is given back.
enum ClaimCases {
    static let claims: [CatalogCase] = [
        CatalogCase(
            "the first has it until it is done",
            """
            1 claim a → granted
            1 claim a → granted
            2 claim a → held by desk-1
            1 tell done:a → known to 1
            2 claim a → done by desk-1 at x/a
            1 claim a → done by desk-1 itself at x/a
            """),
        CatalogCase(
            "each content is a delivery of its own",
            """
            1 claim a b c → granted
            2 claim a d → held by desk-1, granted
            """),
        CatalogCase(
            "each target is a delivery of its own",
            """
            1 claim a → granted
            2 claim a@form → granted
            2 claim a → held by desk-1
            1 claim a@form → held by desk-2
            """),
        CatalogCase(
            "a sidecar beside another picture is a delivery of its own",
            """
            1 claim s/a → granted
            2 claim s/b s → granted
            2 claim s/a → held by desk-1
            """),
        CatalogCase(
            "who wishes the same twice is answered the same twice",
            """
            1 claim a b a → granted
            1 leave → left
            2 claim a a → taken over
            """),
        CatalogCase(
            "no wish is no question",
            """
            1 claim → nothing
            1 leave → left
            1 claim → nothing
            """),
        CatalogCase(
            "256 are answered at once, and no more",
            """
            1 claim #256 → granted
            1 claim #257 → refused: rejected
            2 claim n255 n256 → held by desk-1, granted
            """),
        CatalogCase(
            "one that is no digest refuses all",
            """
            1 claim a short → refused: rejected
            1 claim a none → refused: rejected
            1 claim a/none → refused: rejected
            2 claim a → granted
            """),
        CatalogCase(
            "a claim runs out with the session that nobody renews",
            """
            1 claim a → granted
            time 50 → 50 s later
            2 renew → lasts
            2 claim a → held by desk-1
            time 15 → 15 s later
            2 claim a → taken over
            1 claim a → refused: cancelled
            """),
        CatalogCase(
            "a claim lasts with the session that is renewed",
            """
            1 claim a → granted
            time 50 → 50 s later
            1 renew → lasts
            2 renew → lasts
            time 50 → 50 s later
            2 claim a → held by desk-1
            1 claim a → granted
            """),
        CatalogCase(
            "who comes back finds its claim with another",
            """
            1 claim a → granted
            1 leave → left
            2 claim a → taken over
            2 claim a → granted
            1 open → applied 0, for 60 s
            1 claim a → held by desk-2
            """),
        CatalogCase(
            "who comes back takes its own claim over",
            """
            1 claim a → granted
            1 leave → left
            1 open → applied 0, for 60 s
            1 claim a → taken over
            """),
        CatalogCase(
            "what a station knows of its own claims is its own",
            """
            1 claim a b → granted
            1 leave → left
            1 open → applied 0, for 60 s
            1 claim a+known → granted
            2 claim b+known → taken over
            """),
        CatalogCase(
            "whoever waits hears since when, and that stays so",
            """
            1 claim a → granted
            2 since a → held by desk-1 since then
            time 5 → 5 s later
            1 claim a → granted
            2 since a → held by desk-1 since then
            1 leave → left
            2 since a+dumb → unsure by desk-1 since then
            3 claim a → taken over
            2 since a → held by desk-3 since later
            """),
        CatalogCase(
            "a station's next session ends the claims of its last one",
            """
            1 claim a → granted
            1 open → applied 0, for 60 s
            2 claim a → taken over
            """),
    ]

    static let doubts: [CatalogCase] = [
        CatalogCase(
            "what nobody can settle is unsure",
            """
            1 claim a+dumb → granted
            2 claim a+dumb → held by desk-1
            1 leave → left
            2 claim a+dumb → unsure by desk-1
            2 claim a+idempotent → unsure by desk-1
            2 claim a → taken over
            """),
        CatalogCase(
            "where the same bytes are taken twice, they are sent again",
            """
            1 claim a+idempotent → granted
            1 leave → left
            2 claim a+dumb → unsure by desk-1
            3 claim a+idempotent → taken over
            """),
        CatalogCase(
            "who can ask does, whatever was said of the target before",
            """
            1 claim a@form+dumb b@form → granted
            1 leave → left
            2 claim b@form+dumb → unsure by desk-1
            2 claim a@form b@form → taken over
            """),
        CatalogCase(
            "a person's word sends what may have been sent, once",
            """
            1 claim a+dumb → granted
            1 leave → left
            2 claim a+dumb+anyway → taken over
            3 claim a+dumb+anyway → held by desk-2
            """),
        CatalogCase(
            "what a station may have sent in an earlier life is unsure",
            """
            1 claim a+dumb → granted
            1 leave → left
            1 open → applied 0, for 60 s
            1 claim a+dumb → unsure by desk-1 itself
            1 claim a+dumb+known → granted
            1 release a → 1 given back
            2 claim a+dumb → granted
            """),
        CatalogCase(
            "doubt outlasts whoever took over",
            """
            1 claim a+dumb → granted
            1 leave → left
            2 claim a → taken over
            2 leave → left
            3 claim a+idempotent → unsure by desk-2
            3 claim a → taken over
            """),
    ]

    static let releases: [CatalogCase] = [
        CatalogCase(
            "what is given back is free",
            """
            1 claim a b → granted
            2 release a → 0 given back
            1 release a z → 1 given back
            2 claim a b → granted, held by desk-1
            """),
        CatalogCase(
            "what was tried is asked for first",
            """
            1 claim a → granted
            1 release a+tried → 1 given back
            2 claim a → taken over
            """),
        CatalogCase(
            "what was tried where nobody can ask is unsure",
            """
            1 claim a+dumb → granted
            1 release a+dumb+tried → 1 given back
            2 claim a+dumb → unsure by desk-1
            """),
        CatalogCase(
            "given back untried, it is in doubt as before",
            """
            1 claim a+dumb → granted
            1 leave → left
            2 claim a → taken over
            2 release a → 1 given back
            3 claim a+dumb → unsure by desk-1
            3 claim a → taken over
            3 release a+tried → 1 given back
            2 claim a+dumb → unsure by desk-3
            """),
        CatalogCase(
            "of several that were lost, the last is in doubt",
            """
            1 claim a → granted
            1 leave → left
            2 claim a → taken over
            2 release a+tried → 1 given back
            3 claim a → taken over
            3 release a → 1 given back
            1 open → applied 0, for 60 s
            1 claim a+dumb+known → unsure by desk-2
            1 claim a+known → taken over
            """),
        CatalogCase(
            "what is done is not given back",
            """
            1 claim a → granted
            1 tell done:a → known to 1
            1 release a → 0 given back
            2 claim a → done by desk-1 at x/a
            """),
        CatalogCase(
            "the same wish twice is given back once, as tried",
            """
            1 claim a → granted
            1 release a a+tried → 1 given back
            2 claim a → taken over
            """),
        CatalogCase(
            "what stands again has its own time",
            """
            1 claim a → granted
            2 since a → held by desk-1 since then
            time 5 → 5 s later
            1 leave → left
            2 claim a → taken over
            2 release a → 1 given back
            3 since a+dumb → unsure by desk-1 since then
            2 claim a → taken over
            2 release a+tried → 1 given back
            3 since a+dumb → unsure by desk-2 since later
            """),
        CatalogCase(
            "what stands again before a word has its own time",
            """
            3 tell removed:a → known to 1
            1 claim a+again+dumb → granted
            2 since a → held by desk-1 since then
            time 5 → 5 s later
            1 leave → left
            2 claim a+again → taken over
            2 release a → 1 given back
            3 since a+again+dumb → unsure by desk-1 since then
            """),
        CatalogCase(
            "256 are given back at once, and no more",
            """
            1 claim #256 → granted
            1 release #257 → refused: rejected
            2 claim n7 → held by desk-1
            1 release #256 → 256 given back
            2 claim n7 → granted
            """),
        CatalogCase(
            "a session gives back nothing of the one before it",
            """
            1 claim a → granted
            1 open → applied 0, for 60 s
            1 release a → 0 given back
            2 claim a+dumb → unsure by desk-1
            """),
    ]
}
