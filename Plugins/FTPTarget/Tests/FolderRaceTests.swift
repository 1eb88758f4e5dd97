import FilmgateCore
import FilmgateTesting
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import FTPTarget

/// The first files of an event find its folder missing on several connections at once, and each of them makes it.
@Suite(.timeLimit(.minutes(2))) struct FolderRaceTests {
    /// All but one are told that it is there: their files must not go to the folder above, where they stand then.
    @Test func aFolderThatAnotherConnectionMadeIsEntered() async throws {
        let isMade = Mutex(false), entered = Mutex(0)
        let server = try FTPDouble { verb in
            switch verb {
            case "MKD":
                isMade.withLock { $0 = true }
                return "550 File exists."
            case "CWD":
                // A connection begins at the root each time; what is below that is not there until somebody made it.
                let isRoot = entered.withLock { count in
                    count += 1
                    return count % 2 == 1
                }
                return isRoot || isMade.withLock { $0 } ? nil : "550 No such folder."
            default: return nil
            }
        }
        defer { server.stop() }
        var options = FTPOptions()
        (options.files.host, options.port, options.files.user) = ("127.0.0.1", server.port, "cam")
        (options.files.path, options.tls, options.allowCleartext) = (Template("/in/{name}"), .none, true)
        options.password = Secret(.environment("FTP"))
        let lookup = Lookup(secrets: CanarySecrets("ftp-pa55word"))
        let target = try FTPTarget(
            options,
            ModuleContext(name: "nas", logger: Logger(label: "test"), state: Temporary.ownFolder, lookup: lookup))
        let names = ["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG"]
        for name in names {
            let sample = try SampleJob()
            // Whoever is refused is tried again, on the same connection.
            for _ in 0..<3 {
                if await FTPTargetTests.failure(target, sample.job(name)) == nil { break }
            }
        }
        let wasMade = isMade.withLock { $0 }
        #expect(wasMade, "\(server.commands)")
        #expect(server.files.keys.sorted() == names.map { "/in/" + $0 }, "\(server.commands)")
    }
}
