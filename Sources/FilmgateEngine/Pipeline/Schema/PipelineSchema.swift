public import FilmgateCore

/// The JSON Schema of pipeline files, for editors: made from what the modules say of their options, so it is never
/// behind them.
///
/// Draft 7, which YAML language servers read. It knows names, types, units and choices; references, the order of stages
/// and what spans several keys are for `check`.
public enum PipelineSchema {
    public static func json(registry: ModuleRegistry) -> String { schema(registry).written() + "\n" }

    static func schema(_ registry: ModuleRegistry) -> JSONValue {
        var properties = JSONObject()
        for field in PipelineKeys.schema.descriptions {
            properties[field.name] = section(field.name, registry).adding("description", .string(field.help))
        }
        return .object([
            "$schema": "http://json-schema.org/draft-07/schema#", "title": "Filmgate pipeline",
            "description": "A pipeline file, or a file of profiles that pipelines include.", "type": "object",
            "properties": .object(properties), "required": .texts(["version"]), "additionalProperties": .bool(false),
            "anyOf": .array([.object(["required": .texts(["stages"])]), .object(["required": .texts(["profiles"])])]),
        ])
    }

    private static func section(_ name: String, _ registry: ModuleRegistry) -> JSONValue {
        switch name {
        case "version": .object(["type": "integer", "enum": .array([.integer(Int64(PipelineDecoder.version))])])
        case "event": nullable(FieldSchema.options(EventRule.schema.descriptions))
        case "spool": nullable(FieldSchema.options(SpoolRule.schema.descriptions))
        case "retry": nullable(FieldSchema.options(RetryRule.schema.descriptions))
        case "copies": .object(["type": "integer", "minimum": .integer(1), "maximum": .integer(9)])
        case "include": nullable(FieldSchema.value(.list(.text)))
        case "profiles": nullable(.object(["type": "array", "items": profile]))
        case "hooks": nullable(.object(["type": "array", "items": .object(["oneOf": .array(hooks)])]))
        case "catalog": nullable(catalog(registry))
        case "modules": nullable(FieldSchema.value(.list(.path)))
        case "sources": nullable(moduleList(.source, registry))
        case "stages": moduleList(.stage, registry)
        case "targets": nullable(moduleMap(.target, registry))
        case "auth": nullable(moduleMap(.auth, registry))
        default: FieldSchema.value(.text)
        }
    }

    private static var hooks: [JSONValue] {
        Hook.kinds.map { name, fields in
            only(name, FieldSchema.options(fields))
        }
    }

    private static var profile: JSONValue {
        let match = nullable(FieldSchema.options(ProfileMatch.schema.descriptions))
        return FieldSchema.options(Profile.schema.descriptions, replacing: ["match": match])
    }

    /// One module beside what the station says of itself.
    private static func catalog(_ registry: ModuleRegistry) -> JSONValue {
        var properties = JSONObject()
        for field in StationRule.schema.descriptions {
            properties[field.name] = FieldSchema.value(field.kind).adding("description", .string(field.help))
        }
        for entry in registry.entries where entry.kind == .catalog {
            properties[entry.manifest.name] = nullable(FieldSchema.options(entry.fields)).adding(
                "description", .string(entry.manifest.summary))
        }
        return .object(["type": "object", "properties": .object(properties), "additionalProperties": .bool(false)])
    }

    private static func moduleList(_ kind: ModuleKind, _ registry: ModuleRegistry) -> JSONValue {
        .object(["type": "array", "items": choice(kind, registry)])
    }

    private static func moduleMap(_ kind: ModuleKind, _ registry: ModuleRegistry) -> JSONValue {
        .object([
            "type": "object", "propertyNames": .object(["maxLength": .integer(64), "pattern": #"^[^\s.:/]+$"#]),
            "additionalProperties": choice(kind, registry),
        ])
    }

    /// Exactly one of the modules of a kind, as a single-key map.
    private static func choice(_ kind: ModuleKind, _ registry: ModuleRegistry) -> JSONValue {
        let modules = registry.entries.filter { $0.kind == kind }
        if modules.isEmpty { return .object(["type": "object", "maxProperties": .integer(0)]) }
        return .object(["oneOf": .array(modules.map(module))])
    }

    private static func module(_ entry: ModuleEntry) -> JSONValue {
        let name = entry.manifest.name, stability = entry.manifest.stability
        let summary = entry.manifest.summary + (stability == .stable ? "" : " (\(stability.rawValue))")
        let options = nullable(FieldSchema.options(entry.fields)).adding("description", .string(summary))
        return only(name, options)
    }

    /// An object with this one key.
    private static func only(_ name: String, _ value: JSONValue) -> JSONValue {
        .object([
            "type": "object", "properties": .object([name: value]), "required": .texts([name]),
            "additionalProperties": .bool(false),
        ])
    }

    /// An empty value (`exif:`) stands for an empty map or list.
    private static func nullable(_ schema: JSONValue) -> JSONValue { FieldSchema.nullable(schema) }
}
