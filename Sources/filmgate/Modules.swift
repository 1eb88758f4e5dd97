import APIKeyAuth
import BasicAuth
import BearerAuth
import CardSource
import DedupeStage
import ExifStage
import FilmgateCore
import FolderTarget
import HTTPTarget
import NoAuth
import SelectStage
import UploadStage

/// The one list of modules.
///
/// A new one costs a folder under `Plugins/` and a line here.
enum Modules {
    static let builtin: [ModuleEntry] = [
        .source(CardSource.self),
        .stage(ExifStage.self),
        .stage(SelectStage.self),
        .stage(DedupeStage.self),
        .stage(UploadStage.self),
        .target(FolderTarget.self),
        .target(HTTPTarget.self),
        .auth(NoAuth.self),
        .auth(BearerAuth.self),
        .auth(BasicAuth.self),
        .auth(APIKeyAuth.self),
    ]

    static func registry() throws(IngestError) -> ModuleRegistry { try ModuleRegistry(builtin) }
}
