import FilmgateCore
import Testing

@testable import FilmgateEngine

/// A person may write a model with its make or without, and so may the camera.
@Suite struct ModelSpellingsTests {
    @Test(arguments: [
        ("Acme", "Acme X100", "X1*", true), ("Acme", "X100", "Acme X1*", true),
        ("ACME CORPORATION", "ACME X100", "X100", true), ("Acme Camera AG", "Acme Camera AG Q3", "q3", true),
        ("Acme", "Acme X100", "Acme X100", true), ("Acme", "X100", "X100", true), ("Acme", "Acmedia 5", "dia*", false),
        ("Acme", "Acme", "", false), (nil, "Acme X100", "X100", false), ("", "X100", "X100", true),
        ("Acme", "X100", "Other X100", false),
    ])
    func patterns(_ make: String?, _ model: String, _ pattern: String, _ fits: Bool) throws {
        let names = ModelSpellings.all(make: make, model: model)
        #expect(names.contains { Glob(pattern)?.matches($0) == true } == fits, "\(names)")
        var rule = ProfileMatch()
        rule.model = Glob(pattern)
        if rule.model != nil { #expect(rule.matches(CameraBody(make: make, model: model)) == fits) }
    }

    @Test func theMakeIsSaidOnce() {
        #expect(ModelSpellings.shown(make: "Acme", model: "Acme X100") == "Acme X100")
        #expect(ModelSpellings.shown(make: "ACME CORPORATION", model: "Acme X100") == "Acme X100")
        #expect(ModelSpellings.shown(make: "Acme", model: "X100") == "Acme X100")
        #expect(ModelSpellings.shown(make: nil, model: "X100") == "X100")
    }
}
