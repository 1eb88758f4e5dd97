import APIKeyAuth
import AWSAuth
import BasicAuth
import BearerAuth
import CanonCamera
import CardMakes
import CardSource
import ClerkAuth
import ConvexTarget
import DedupeStage
import ExecAuth
import ExecTarget
import ExifStage
import FTPSource
import FTPTarget
import FilmgateCore
import FilmgateExternal
import FolderSource
import FolderTarget
import FrameFastAuth
import FrameFastTarget
import FujifilmCamera
import GPhoto2Source
import GoProCamera
import HTTPTarget
import ImmichTarget
import LeicaCamera
import MockAuth
import NikonCamera
import NoAuth
import OIDCAuth
import OlympusCamera
import PTPKit
import PanasonicCamera
import PentaxCamera
import PostgresCatalog
import RcloneTarget
import S3Target
import SFTPTarget
import SelectStage
import SonyCamera
import StampStage
import StandardCamera
import TusTarget
import UploadStage
import VirtualCamera
import WebDAVTarget

/// The one list of modules.
///
/// A new one costs a folder under `Plugins/` and a line here.
enum Modules {
    static let builtin: [ModuleEntry] =
        [.source(CardSource.self), .source(FolderSource.self), .source(FTPSource.self)] + cameras.map { entry($0) }
        + others

    /// Camera modules, specific before generic: the first that fits takes a camera.
    static let cameras: [any CameraModule.Type] = [
        CanonCamera.self,
        NikonCamera.self,
        SonyCamera.self,
        FujifilmCamera.self,
        PanasonicCamera.self,
        OlympusCamera.self,
        LeicaCamera.self,
        PentaxCamera.self,
        GoProCamera.self,
        StandardCamera.self,
    ]

    private static let others: [ModuleEntry] = [
        .source(GPhoto2Source.self),
        .stage(ExifStage.self),
        .stage(SelectStage.self),
        .stage(DedupeStage.self),
        .stage(StampStage.self),
        .stage(UploadStage.self),
        .target(FolderTarget.self),
        .target(HTTPTarget.self),
        .target(S3Target.self),
        .target(WebDAVTarget.self),
        .target(TusTarget.self),
        .target(ImmichTarget.self),
        .target(FrameFastTarget.self),
        .target(ConvexTarget.self),
        .target(ExecTarget.self),
        .target(SFTPTarget.self),
        .target(FTPTarget.self),
        .target(RcloneTarget.self),
        .auth(NoAuth.self),
        .auth(BearerAuth.self),
        .auth(BasicAuth.self),
        .auth(APIKeyAuth.self),
        .auth(OIDCAuth.self),
        .auth(ClerkAuth.self),
        .auth(FrameFastAuth.self),
        .auth(AWSAuth.self),
        .auth(ExecAuth.self),
        .auth(MockAuth.self),
        .catalog(PostgresCatalog.self),
    ]

    /// Targets whose servers let nobody in without a sign-in.
    static let signInTargets: Set<String> = ["immich", "framefast", "s3"]

    /// What modules of one plan share, each found by its type; new for each plan.
    static var shared: [any Sendable] { [PushInboxes(), StudioLogins()] }

    /// The virtual cameras, by the name of the module that takes them.
    static var bodies: [String: any Personality] {
        [
            "canon": CanonPersonality(), "nikon": NikonPersonality(), "sony": SonyPersonality(),
            "leica": LeicaPersonality(), "fujifilm": FujifilmPersonality(), "panasonic": PanasonicPersonality(),
            "olympus": OlympusPersonality(), "pentax": PentaxPersonality(), "gopro": GoProPersonality(),
            "ptp": StandardPersonality(),
        ]
    }

    /// What the makes' bodies write into the maker notes of their files.
    static let makerNotes: [any MakerNoteReader] = [
        CanonNotes(), NikonNotes(), SonyNotes(), FujifilmNotes(), PanasonicNotes(), OlympusNotes(), PentaxNotes(),
        LeicaNotes(), SigmaNotes(), PhaseOneNotes(), ReconyxNotes(), MotorolaNotes(), KodakNotes(), CasioNotes(),
        MinoltaNotes(), JVCClips(),
    ]

    /// Makes whose bodies show a code with their network.
    static let wifiCodes: [@Sendable (String) -> WiFiCode?] = [SonyWiFiCode.read]

    /// What a trace of any camera does not show.
    static var confidentialOperations: Set<OperationCode> {
        cameras.reduce(into: []) { $0.formUnion($1.confidentialOperations) }
    }

    private static func entry<M: CameraModule>(_ module: M.Type) -> ModuleEntry { .source(module) }

    /// The built-in modules; other names are looked for among programs.
    static func registry(_ outside: ModuleFinder) throws(IngestError) -> ModuleRegistry {
        try ModuleRegistry(builtin, outside: outside)
    }
}
