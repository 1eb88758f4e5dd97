import FilmgateCore

/// The top level of a pipeline file.
struct PipelineKeys: ModuleConfig {
    var version = 0, name = ""
    var event = ConfigNode(.null), sources = ConfigNode(.null), include = ConfigNode(.null)
    var profiles = ConfigNode(.null)
    var stages = ConfigNode(.null), targets = ConfigNode(.null), auth = ConfigNode(.null), spool = ConfigNode(.null)
    var retry = ConfigNode(.null), copies = 1
    var modules: [String] = [], hooks = ConfigNode(.null), catalog = ConfigNode(.null)

    static let schema: Schema<Self> = [
        .field("version", \.version, "The version of the file's format, which is 1.").required(),
        .field("name", \.name, "The pipeline's name in logs."),
        .field("event", \.event, "The event that this shoot belongs to."),
        .field("sources", \.sources, "Where assets come from, in the order of preference where two fit."),
        .field("include", \.include, "Further profiles: shipped ones by name, own ones as `./file.yaml`."),
        .field(
            "profiles", \.profiles,
            "What holds for a make, model, owner or body; all that match are merged, the more specific wins."),
        .field("stages", \.stages, "The steps that every asset passes, in order.").required(),
        .field("targets", \.targets, "Where assets are delivered, by name."),
        .field("auth", \.auth, "Sign-ins that targets refer to, by name."),
        .field("spool", \.spool, "Room for bytes that wait for a target."),
        .field("retry", \.retry, "How soon a target that did not answer is tried again."),
        .field(
            "copies", \.copies, in: 1...9,
            "On how many places `safe-to-format` wants a file: on different devices, or on devices and at a target elsewhere."
        ),
        .field("hooks", \.hooks, "Programs and web addresses that are notified of runs, deliveries and sign-ins."),
        .field("catalog", \.catalog, "The catalogue that this station shares with others."),
        .field(
            "modules", \.modules,
            "Programs of external modules that are not on the search path, each by its absolute path."),
    ]
}

/// An included file: profiles and nothing else.
struct IncludedKeys: ModuleConfig {
    var version = 0
    var include = ConfigNode(.null), profiles = ConfigNode(.null)

    static let schema: Schema<Self> = [
        .field("version", \.version, "The version of the file's format, which is 1.").required(),
        .field("include", \.include, "Further profiles."),
        .field("profiles", \.profiles, "What holds for a make, model, owner or body."),
    ]
}
