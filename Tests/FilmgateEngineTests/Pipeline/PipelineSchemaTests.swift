import FilmgateCore
import FilmgateEngine
import Foundation
import Testing

@Suite struct PipelineSchemaTests {
    let json = try? PipelineSchema.json(registry: Fake.registry())

    /// Goes down by keys and list positions.
    func value(_ path: String...) throws -> Any { try value(path) }

    func value(_ path: [String]) throws -> Any {
        var value = try JSONSerialization.jsonObject(with: Data(try #require(json).utf8))
        for step in path {
            if let list = value as? [Any] {
                value = list[try #require(Int(step))]
            } else {
                value = try #require((value as? [String: Any])?[step], "\(step)")
            }
        }
        return value
    }

    @Test func isDraftSevenAndClosed() throws {
        #expect(try value("$schema") as? String == "http://json-schema.org/draft-07/schema#")
        #expect(try value("additionalProperties") as? Bool == false)
        #expect(try value("required") as? [String] == ["version"])
    }

    @Test func everyModuleIsAChoiceOfItsKind() throws {
        let stages = try #require(try value("properties", "stages", "items", "oneOf") as? [[String: Any]])
        #expect(stages.compactMap { ($0["required"] as? [String])?.first } == ["exif", "select", "dedupe", "upload"])
        let targets = try #require(
            try value("properties", "targets", "additionalProperties", "oneOf") as? [[String: Any]])
        #expect(targets.compactMap { ($0["required"] as? [String])?.first } == ["folder", "http"])
    }

    @Test func optionsCarryTypeRangeDefaultAndHelp() throws {
        let options = ["properties", "stages", "items", "oneOf", "3", "properties", "upload", "properties"]
        #expect(try value(options + ["workers", "type"]) as? String == "integer")
        #expect(
            try value(options + ["workers", "minimum"]) as? Int == 1
                && value(options + ["workers", "maximum"]) as? Int == 64)
        #expect(try value(options + ["workers", "default"]) as? Int == 4)
        #expect(try value(options + ["to", "description"]) as? String == "Names of targets.")
    }

    @Test func secretsAcceptReferencesOnly() throws {
        let pattern = try #require(
            try value(
                "properties", "auth", "additionalProperties", "oneOf", "0", "properties", "bearer", "properties",
                "token", "pattern")
                as? String)
        let regex = try Regex(pattern)
        for good in ["${env:X}", "${file:/run/secrets/x}", "${file:~/x}", "${credential:x}"] {
            #expect(good.wholeMatch(of: regex) != nil, "\(good)")
        }
        for bad in ["abc", "${env:}", "${file:x}", "${ENV:X}", "x${env:X}", "${credential:a/b}"] {
            #expect(bad.wholeMatch(of: regex) == nil, "\(bad)")
        }
    }
}
