/// What stations tell, and what that is to the others.
enum ReportCases {
    /// What a person said against a word that stands there.
    static let orders: [CatalogCase] = [
        CatalogCase(
            "what somebody saw removed is not sent again unasked",
            """
            1 tell removed:a → known to 1
            2 claim a → removed by desk-1
            1 claim a → removed by desk-1 itself
            2 claim a+anyway+insists → removed by desk-1
            2 claim a+again → granted
            """),
        CatalogCase(
            "two who are told to send it again send it once",
            """
            3 tell removed:a → known to 1
            1 claim a+again → granted
            2 claim a+again → held by desk-1
            3 tell removed:a → known to 2
            2 claim a+again → held by desk-1
            1 release a+again → 1 given back
            2 claim a → removed by desk-3
            3 claim a → removed by desk-3 itself
            """),
        CatalogCase(
            "whose sending again was lost leaves that to those who were told so",
            """
            3 tell removed:a → known to 1
            1 claim a+again → granted
            1 leave → left
            2 claim a → removed by desk-3
            2 claim a+again+dumb → unsure by desk-1
            2 claim a+again → taken over
            2 tell done:a → known to 1
            3 claim a → done by desk-2 at x/a
            """),
        CatalogCase(
            "a removal ends no claim that lasts, and stands behind it",
            """
            1 claim a → granted
            2 tell removed:a → known to 1
            3 claim a → held by desk-1
            1 release a → 1 given back
            3 claim a → removed by desk-2
            """),
        CatalogCase(
            "a removal takes the place of a lost claim",
            """
            1 claim a+dumb → granted
            1 leave → left
            2 tell removed:a → known to 1
            3 claim a+dumb → removed by desk-2
            3 claim a+dumb+again → granted
            """),
        CatalogCase(
            "two who insist send it once",
            """
            3 tell done:a → known to 1
            1 claim a+anyway+again → done by desk-3 at x/a
            1 claim a+insists → granted
            2 claim a+insists → held by desk-1
            1 release a → 1 given back
            2 claim a → done by desk-3 at x/a
            """),
        CatalogCase(
            "whose insisting was lost leaves what was done",
            """
            3 tell done:a → known to 1
            1 claim a+insists → granted
            1 leave → left
            2 claim a → done by desk-3 at x/a
            3 claim a → done by desk-3 itself at x/a
            2 claim a+insists → taken over
            """),
        CatalogCase(
            "a sending again that was lost stands again before the removal",
            """
            3 tell removed:a → known to 1
            1 claim a+again+dumb → granted
            1 leave → left
            2 claim a+again → taken over
            2 release a → 1 given back
            3 claim a → removed by desk-3 itself
            3 claim a+again+dumb → unsure by desk-1
            3 claim a+again → taken over
            """),
        CatalogCase(
            "doubt outlasts whoever took over a sending again",
            """
            3 tell removed:a → known to 1
            1 claim a+again+dumb → granted
            1 leave → left
            2 claim a+again → taken over
            2 leave → left
            3 claim a+again+idempotent → unsure by desk-2
            owner free desk-2 → 1 free
            3 claim a+again+dumb → unsure by desk-1
            """),
        CatalogCase(
            "who knows what came of its insisting gives back what was done",
            """
            3 tell done:a → known to 1
            1 claim a+insists → granted
            1 leave → left
            2 claim a+insists → taken over
            2 release a → 1 given back
            3 claim a → done by desk-3 itself at x/a
            1 open → applied 0, for 60 s
            1 claim a+insists+known → granted
            1 release a → 1 given back
            2 claim a+dumb+insists → granted
            """),
        CatalogCase(
            "a removal takes the place of a lost sending again",
            """
            3 tell removed:a → known to 1
            1 claim a+again+dumb → granted
            1 leave → left
            2 claim a+again → taken over
            3 tell removed:a → known to 2
            2 release a → 1 given back
            2 claim a+again+dumb → granted
            """),
        CatalogCase(
            "a removal takes the place of what was done before a claim",
            """
            3 tell done:a → known to 1
            1 claim a+insists → granted
            2 tell removed:a → known to 1
            1 release a → 1 given back
            3 claim a → removed by desk-2
            """),
    ]

    static let reports: [CatalogCase] = [
        CatalogCase(
            "of several who say done the first stands",
            """
            1 tell done:a → known to 1
            2 tell done:a+moved → known to 1
            3 claim a → done by desk-1 at x/a
            """),
        CatalogCase(
            "a station's later word takes the place of its own",
            """
            1 tell done:a → known to 1
            1 tell done:a+moved → known to 2
            2 claim a → done by desk-1 at y/a
            """),
        CatalogCase(
            "what is done ends another's claim",
            """
            1 claim a → granted
            2 tell done:a → known to 1
            1 claim a → done by desk-2 at x/a
            1 release a → 0 given back
            """),
        CatalogCase(
            "anybody may say that a copy is gone",
            """
            1 tell done:a → known to 1
            2 tell removed:a → known to 1
            3 claim a → removed by desk-2
            """),
        CatalogCase(
            "after a removal only who saw it says unasked that it is done",
            """
            1 tell removed:a → known to 1
            2 tell done:a → known to 1
            3 claim a → removed by desk-1
            1 tell done:a → known to 2
            3 claim a → done by desk-1 at x/a
            """),
        CatalogCase(
            "what a station withdraws of its own is free",
            """
            1 tell done:a done:b → known to 1
            1 tell withdrawn:a → known to 2
            2 tell withdrawn:b → known to 1
            3 claim a b → granted, done by desk-1 at x/b
            """),
        CatalogCase(
            "a claim is not withdrawn",
            """
            1 claim a → granted
            1 tell withdrawn:a → known to 1
            2 claim a → held by desk-1
            """),
        CatalogCase(
            "what is delivered to a private target is nobody else's affair",
            """
            1 tell done:a+private done:b+private → known to 1
            2 claim a → granted
            2 tell done:b+private → known to 1
            1 tell removed:b+private → known to 2
            3 where a → desk-1 done gallery x/a server 5; desk-2 claimed gallery - - - of t|gallery
            3 where b → desk-1 removed gallery x/b server 5; desk-2 done gallery x/b server 5
            """),
        CatalogCase(
            "each report counts once, and only where it belongs",
            """
            1 tell done:a upto=5 → known to 5
            1 tell done:b since=0 upto=5 → known to 5
            1 tell done:b since=7 upto=9 → known to 5
            1 tell done:b since=3 upto=9 → known to 5
            2 claim b → granted
            1 tell done:b → known to 6
            2 claim b → done by desk-1 at x/b
            """),
        CatalogCase(
            "a report that goes nowhere is refused",
            """
            1 tell done:a since=0 upto=0 → refused: rejected
            1 tell done:a since=5 upto=4 → refused: rejected
            1 tell → known to 1
            2 claim a → granted
            """),
        CatalogCase(
            "nonsense is refused whole",
            """
            1 tell done:a done:short → refused: rejected
            1 tell seen:short=delivered done:a → refused: rejected
            1 tell done:a done:none → refused: rejected
            2 claim a → granted
            2 where short → nobody
            1 tell done:a → known to 1
            """),
    ]

    static let lookUps: [CatalogCase] = [
        CatalogCase(
            "what is told is found by its digest",
            """
            1 tell seen:a=delivered done:a → known to 1
            2 where a → desk-1 done gallery x/a server 5 of t|gallery; desk-1 seen DCIM/a.JPG delivered - 7
            2 where b → nobody
            2 where → nobody
            2 where none → nobody
            """),
        CatalogCase(
            "256 are looked for at once, and no more",
            """
            1 tell seen:n255=delivered → known to 1
            2 where #256 → desk-1 seen DCIM/n255.JPG delivered - 7
            2 where #257 → refused: rejected
            """),
        CatalogCase(
            "a claim is told as claimed while it lasts, and then as unsure",
            """
            1 tell seen:a=pending → known to 1
            1 claim a → granted
            2 where a → desk-1 claimed gallery - - 7 of t|gallery; desk-1 seen DCIM/a.JPG pending - 7
            1 leave → left
            2 where a → desk-1 seen DCIM/a.JPG pending - 7; desk-1 unsure gallery - - 7 of t|gallery
            """),
        CatalogCase(
            "how a file ended is told anew, and its digest stays",
            """
            1 tell seen:a=pending → known to 1
            1 tell seen:a=duplicate → known to 2
            2 where a → desk-1 seen DCIM/a.JPG duplicate - 7
            1 tell seen:a=delivered+unread+later → known to 3
            2 where a → desk-1 seen DCIM/a.JPG delivered - 7 +60 s
            """),
        CatalogCase(
            "a sidecar says that it lies beside a picture",
            """
            1 tell done:s/a → known to 1
            2 where s → desk-1 done gallery x/s server 5 of t|gallery beside
            """),
        CatalogCase(
            "proof is told as it was",
            """
            1 tell done:a+none done:b+size → known to 1
            1 tell done:c+reread → known to 2
            2 where a b → desk-1 done gallery x/a none 5 of t|gallery; desk-1 done gallery x/b size 5 of t|gallery
            2 where c → desk-1 done gallery x/c reread 5 of t|gallery
            """),
        CatalogCase(
            "others say how the files of a card ended",
            """
            1 tell seen:a=delivered seen:b=duplicate+later seen:c=pending → known to 1
            3 tell seen:c=delivered → known to 1
            2 card a b c d → desk-1: 1 delivered, 1 duplicate, 1 pending +60 s; desk-3: 1 delivered
            1 card a b c → desk-3: 1 delivered
            2 card d → nobody
            2 card → nobody
            2 card volume=B2E1-33D5 a → nobody
            """),
        CatalogCase(
            "256 files of a card are asked for at once, in a session that lasts",
            """
            1 card #256 → nobody
            1 card #257 → refused: rejected
            1 leave → left
            1 card a → refused: cancelled
            """),
        CatalogCase(
            "a station's word goes by the name that it has now",
            """
            1 tell seen:a=delivered done:a → known to 1
            1 join name=press → epoch 1, applied 1
            2 claim a → done by press at x/a
            2 card a → press: 1 delivered
            1 claim a → done by press itself at x/a
            """),
    ]
}
