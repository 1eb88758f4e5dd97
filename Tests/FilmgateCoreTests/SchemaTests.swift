import FilmgateCore
import Testing

@Suite struct SchemaTests {
    enum Order: String, CaseIterable, ConfigValue { case newest, oldest }

    struct Inner: ConfigSection {
        var path = "", deep = false
        init() {}
        static let schema: Schema<Self> = [
            .field("path", \.path, "Where.").required(),
            .field("deep", \.deep, "All the way down."),
        ]
    }

    struct Options: ModuleConfig {
        var url = "", parallel = 4, ratio = 0.5, order = Order.newest, token = Secret(), wait = Duration.seconds(30)
        var room = ByteCount(1 << 30)
        var names: [String] = [], sizes: [String: Int] = [:], note: String?, find: Inner?
        init() {}
        static let schema: Schema<Self> = [
            .field("url", \.url, "Address.").required(),
            .field("parallel", \.parallel, in: 1...16, "Uploads at once."),
            .field("ratio", \.ratio, "A part."),
            .field("order", \.order, "Which first."),
            .field("token", \.token, "Key."),
            .field("wait", \.wait, in: .seconds(1)...(.seconds(60)), "Patience."),
            .field("room", \.room, "Space."),
            .field("names", \.names, "Names."),
            .field("sizes", \.sizes, "Sizes."),
            .field("note", \.note, "Remark."),
            .field("find", \.find, "Search."),
        ]

        func validate(at node: ConfigNode) throws(ConfigError) {
            if url == "bad", let place = node["url"] { throw ConfigError(place.mark, "bad-url", "No.") }
        }
    }

    private func decode(_ tree: Tree) -> (Options, [ConfigError]) {
        var errors: [ConfigError] = []
        let options = Options.schema.decode(tree.node, errors: &errors)
        return (options, errors)
    }

    private func codes(_ tree: Tree) -> [String] { decode(tree).1.map(\.code) }

    /// One value where several may stand needs only its brackets.
    @Test(arguments: [
        ("/media/*/*", "Write `[/media/*/*]`."), ("*.JPG", "Write `[\"*.JPG\"]`."), ("a, b", "Write `[\"a, b\"]`."),
        ("say \"x\"", #"Write `["say \"x\""]`."#),
    ])
    func aValueAloneIsShownAsAList(_ text: String, _ hint: String) {
        let (_, errors) = decode(["url": "x", "names": Tree(stringLiteral: text)])
        #expect(errors.map(\.code) == ["wrong-type"] && errors.first?.hint == hint, "\(errors)")
        #expect(
            ConfigNode(.map([])).wrongList().hint == nil
                && ConfigNode(.scalar("s", quoted: false)).wrongList(showing: false).hint == nil)
    }

    @Test func everythingGiven() {
        let (options, errors) = decode([
            "url": "https://x", "parallel": "8", "ratio": "0.25", "order": "oldest", "token": "${env:T}", "wait": "2s",
            "room": "5MB", "names": ["a", "b"], "sizes": ["s": "1"], "note": "n",
            "find": ["path": "/p", "deep": "true"],
        ])
        #expect(errors == [])
        #expect((options.url, options.parallel, options.ratio) == ("https://x", 8, 0.25))
        #expect(options.order == .oldest)
        #expect(options.token.reference == .environment("T"))
        #expect((options.wait, options.room.bytes) == (.seconds(2), 5_000_000))
        #expect((options.names, options.sizes, options.note) == (["a", "b"], ["s": 1], "n"))
        #expect((options.find?.path, options.find?.deep) == ("/p", true))
    }

    @Test func defaultsStay() {
        let (options, errors) = decode(["url": "x"])
        #expect(errors == [])
        #expect((options.parallel, options.note) == (4, nil))
        #expect(options.order == .newest && options.find == nil)
    }

    @Test func whatIsRequiredIsMissed() {
        for node in [ConfigNode(.null, Mark(line: 7)), ConfigNode(.map([]), Mark(line: 7))] {
            let errors = decode(Tree(node)).1
            #expect(errors.map(\.code) == ["missing-key"])
            #expect(errors.first?.mark.line == 7)
        }
        #expect(codes(["url": "x", "find": ["deep": "true"]]) == ["missing-key"])
    }

    @Test func unknownKeysPointAtTheKeyAndTheNearestName() {
        let errors = decode(["url": "x", "paralel": "8", "zzzzzzz": "1"]).1
        #expect(errors.map(\.code) == ["unknown-key", "unknown-key"])
        #expect(errors.first?.hint == "Did you mean `parallel`?")
        #expect(errors.last?.hint?.hasPrefix("Known keys: url, parallel") == true)
        #expect(errors.map(\.mark.column) == [2, 3])
        #expect(decode(["url": "x", "parallelism": "8"]).1.first?.hint == "Did you mean `parallel`?")
        var none: [ConfigError] = []
        let tree: Tree = ["a": "b"]
        _ = NoOptions.schema.decode(tree.node, errors: &none)
        #expect(none.first?.hint == "This module has no options.")
    }

    /// Every mistake is found in one go, each in its place, and what was wrong keeps its default.
    @Test func mistakesAreCollected() {
        let (options, errors) = decode([
            "url": ["a"], "parallel": "17", "ratio": "much", "order": "oldes", "token": "hunter2", "wait": "5",
            "room": "5", "names": "a", "sizes": ["s": "x"], "find": "here",
        ])
        let codes = [
            "wrong-type", "out-of-range", "wrong-type", "unknown-choice", "inline-secret", "wrong-unit", "wrong-unit",
            "wrong-type", "wrong-type", "wrong-type",
        ]
        #expect(errors.map(\.code) == codes)
        #expect((options.url, options.parallel, options.ratio) == ("", 4, 0.5))
        #expect(options.order == .newest)
        #expect(errors[3].hint == "Did you mean `oldest`?")
        #expect(!errors.contains { $0.message.contains("hunter2") || $0.hint?.contains("hunter2") == true })
    }

    @Test(arguments: ["0", "17", "-1"]) func rangesAreHeld(_ text: String) {
        let (options, errors) = decode(["url": "x", "parallel": Tree(stringLiteral: text)])
        #expect(errors.map(\.message) == ["`parallel` must be between 1 and 16."])
        #expect(options.parallel == 4)
    }

    @Test func quotedNumbersAndWordsAreText() {
        let parallel: Tree = ["url": "x", "parallel": .quoted("4")]
        #expect(decode(parallel).1.map(\.message) == ["Expected a whole number, found `4` in quotes."])
        #expect(codes(["url": "x", "find": ["path": "p", "deep": .quoted("true")]]) == ["wrong-type"])
        #expect(codes(["url": .quoted("4")]) == [])
    }

    @Test func rulesOverSeveralKeysComeLast() {
        #expect(codes(["url": "bad"]) == ["bad-url"])
        #expect(codes(["url": "bad", "nope": "1"]) == ["unknown-key"])
        #expect(codes([]).contains("wrong-type"))
    }

    @Test func describesItself() {
        let fields = Dictionary(uniqueKeysWithValues: Options.schema.descriptions.map { ($0.name, $0) })
        #expect(fields["url"]?.required == true && fields["url"]?.defaultText == nil)
        #expect((fields["parallel"]?.range, fields["parallel"]?.defaultText) == ("1…16", "4"))
        #expect((fields["wait"]?.range, fields["wait"]?.defaultText) == ("1s…1m", "30s"))
        #expect(fields["order"]?.kind == .choice(["newest", "oldest"]))
        #expect(fields["names"]?.kind == .list(.text) && fields["sizes"]?.kind == .map(.integer))
        #expect(fields["find"]?.kind == .section(Inner.schema.descriptions))
        #expect(fields["room"]?.defaultText == "1GiB")
    }
}

/// A node written as a Swift literal; the column of each key is its place among its neighbours.
struct Tree: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    let node: ConfigNode

    init(_ node: ConfigNode) { self.node = node }
    init(stringLiteral text: String) { node = ConfigNode(.scalar(text, quoted: false)) }
    init(arrayLiteral items: Tree...) { node = ConfigNode(.list(items.map(\.node))) }
    init(dictionaryLiteral pairs: (String, Tree)...) {
        node = ConfigNode(.map(pairs.enumerated().map { .init(.init($1.0, Mark(column: $0 + 1)), $1.1.node) }))
    }
    static func quoted(_ text: String) -> Tree { Tree(ConfigNode(.scalar(text, quoted: true))) }
}
