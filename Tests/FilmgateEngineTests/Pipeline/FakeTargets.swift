import FilmgateCore

extension Fake {
    enum Verify: String, CaseIterable, ConfigValue { case size, reread }

    struct Folder: Module, UploadTarget {
        struct Config: ModuleConfig {
            var path: Template?, verify = Verify.size, mhl = false
            static let schema: Schema<Self> = [
                .field("path", \.path, "Where to.").required(), .field("verify", \.verify, "How to prove the copy."),
                .field("mhl", \.mhl, "Write an ASC MHL manifest."),
            ]
        }
        static let manifest = Manifest("folder", "A folder on this machine.")
        let traits = TargetTraits(identity: "folder")
        init(_ config: Config, _ context: ModuleContext) {}
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    struct HTTP: Module, UploadTarget {
        struct Config: ModuleConfig {
            var url = "", auth: AuthReference?, chunk = ByteCount(1 << 20), timeout = Duration.seconds(30)
            static let schema: Schema<Self> = [
                .field("url", \.url, "Address.").required(), .field("auth", \.auth, "How to sign in."),
                .field("chunk", \.chunk, "Bytes at once."),
                .field("timeout", \.timeout, "Longest wait."),
            ]
        }
        static let manifest = Manifest("http", "PUT or multipart.")
        let traits = TargetTraits(identity: "http")
        init(_ config: Config, _ context: ModuleContext) {}
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    struct Bearer: Module, AuthProvider {
        struct Config: ModuleConfig {
            var token = Secret()
            static let schema: Schema<Self> = [.field("token", \.token, "The token.").required()]
        }
        static let manifest = Manifest("bearer", "A token.")
        init(_ config: Config, _ context: ModuleContext) {}
        func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest { request }
    }
}
