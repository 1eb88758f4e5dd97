import FilmgateCore
import HTTPKit

/// What the children of one use of a module are told.
struct Setup: Sendable {
    var program: ModuleProgram
    /// The entry's name in the pipeline file.
    var entry: String
    /// Options as the child declared them, without secrets.
    var options: JSONObject
    /// Where each secret stands, by option; sections joined with dots.
    var secrets: [String: Secret]
    var event: String?, state: String
    /// Asked of every child once it has its options and secrets: which camera to open.
    var preamble: Request?

    var configure: Request {
        Request(
            verb: "configure",
            arguments: [
                "name": .string(entry), "options": .object(options), "event": .text(event), "state": .string(state),
            ])
    }
}
