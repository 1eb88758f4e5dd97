public import FilmgateCore

/// The JSON Schema of pipeline files, for editors: made from what the modules say of their options, so it is never behind them.
///
/// Draft 7, which YAML language servers read. It knows names, types, units and choices; references, the order of stages and what spans
/// several keys are for `check`.
public enum PipelineSchema {
    public static func json(registry: ModuleRegistry) -> String { schema(registry).written() + "\n" }

    static func schema(_ registry: ModuleRegistry) -> OrderedJSON {
        var properties: [OrderedJSON.Member] = []
        for field in PipelineKeys.schema.descriptions {
            properties.append(.init(field.name, described(section(field.name, registry), field)))
        }
        return .object(
            ("$schema", .text("http://json-schema.org/draft-07/schema#")), ("title", .text("Filmgate pipeline")),
            ("description", .text("A pipeline file, or a file of profiles that pipelines include.")), ("type", .text("object")),
            ("properties", .object(properties)), ("required", .texts(["version"])), ("additionalProperties", .bool(false)),
            ("anyOf", .array([.object(("required", .texts(["stages"]))), .object(("required", .texts(["profiles"])))])))
    }

    private static func section(_ name: String, _ registry: ModuleRegistry) -> OrderedJSON {
        switch name {
        case "version": .object(("type", .text("integer")), ("enum", .array([.number(PipelineDecoder.version)])))
        case "event": nullable(FieldSchema.options(EventRule.schema.descriptions))
        case "spool": nullable(FieldSchema.options(SpoolRule.schema.descriptions))
        case "retry": nullable(FieldSchema.options(RetryRule.schema.descriptions))
        case "copies": .object(("type", .text("integer")), ("minimum", .number(1)), ("maximum", .number(9)))
        case "include": nullable(FieldSchema.value(.list(.text)))
        case "profiles": nullable(.object(("type", .text("array")), ("items", profile)))
        case "hooks": nullable(.object(("type", .text("array")), ("items", .object(("oneOf", .array(hooks))))))
        case "modules": nullable(FieldSchema.value(.list(.path)))
        case "sources": nullable(moduleList(.source, registry))
        case "stages": moduleList(.stage, registry)
        case "targets": nullable(moduleMap(.target, registry))
        case "auth": nullable(moduleMap(.auth, registry))
        default: FieldSchema.value(.text)
        }
    }

    private static func described(_ schema: OrderedJSON, _ field: FieldDescription) -> OrderedJSON {
        schema.adding(("description", .text(field.help)))
    }

    private static var hooks: [OrderedJSON] {
        Hook.kinds.map { name, fields in
            .object(
                ("type", .text("object")), ("properties", .object([.init(name, FieldSchema.options(fields))])),
                ("required", .texts([name])), ("additionalProperties", .bool(false)))
        }
    }

    private static var profile: OrderedJSON {
        let match = nullable(FieldSchema.options(ProfileMatch.schema.descriptions))
        return FieldSchema.options(Profile.schema.descriptions, replacing: ["match": match])
    }

    private static func moduleList(_ kind: ModuleKind, _ registry: ModuleRegistry) -> OrderedJSON {
        .object(("type", .text("array")), ("items", choice(kind, registry)))
    }

    private static func moduleMap(_ kind: ModuleKind, _ registry: ModuleRegistry) -> OrderedJSON {
        .object(
            ("type", .text("object")), ("propertyNames", .object(("maxLength", .number(64)), ("pattern", .text(#"^[^\s.:/]+$"#)))),
            ("additionalProperties", choice(kind, registry)))
    }

    /// Exactly one of the modules of a kind, as a single-key map.
    private static func choice(_ kind: ModuleKind, _ registry: ModuleRegistry) -> OrderedJSON {
        let modules = registry.entries.filter { $0.kind == kind }
        if modules.isEmpty { return .object(("type", .text("object")), ("maxProperties", .number(0))) }
        return .object(("oneOf", .array(modules.map(module))))
    }

    private static func module(_ entry: ModuleEntry) -> OrderedJSON {
        let name = entry.manifest.name, stability = entry.manifest.stability
        let summary = entry.manifest.summary + (stability == .stable ? "" : " (\(stability.rawValue))")
        let options = nullable(FieldSchema.options(entry.fields)).adding(("description", .text(summary)))
        return .object(
            ("type", .text("object")), ("properties", .object((name, options))), ("required", .texts([name])),
            ("additionalProperties", .bool(false)))
    }

    /// An empty value (`exif:`) stands for an empty map or list.
    private static func nullable(_ schema: OrderedJSON) -> OrderedJSON { FieldSchema.nullable(schema) }
}
