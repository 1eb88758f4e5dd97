import FilmgateCore
import GPhoto2Wire
import Testing

@testable import GPhoto2Source

/// Processes that are not libgphoto2's, and end in every way that one can.
@Suite struct GPhotoProcessTests {
    private func failure(_ script: String, silence: Duration = .seconds(30)) -> IngestError? {
        #expect(throws: IngestError.self) {
            let process = try GPhotoProcess(program: "/bin/sh", arguments: ["-c", script])
            try process.ask(.detect, silence: silence) { _ in }
        }
    }

    @Test func aCrashIsAnErrorThatNamesTheSignal() {
        let error = failure("kill -SEGV $$")
        #expect(error?.code == .deviceGone)
        #expect(error?.message.contains("signal 11") == true)
    }

    @Test func anEarlyEndIsAnError() { #expect(failure("exit 3")?.message.contains("status 3") == true) }

    @Test func aProgramThatIsThereAndDoesNotWorkFailsItsTrial() throws {
        let broken = try GPhotoProcess(program: "/bin/sh", arguments: ["-c", "exit 127"])
        let error = #expect(throws: IngestError.self) { try GPhoto2Source.trial(of: broken) }
        #expect(error?.message.contains("status 127") == true)
    }

    /// A libgphoto2 of one's own is found by these, and by nothing else that we know of.
    @Test func theProcessKnowsWhereItsLibrariesAre() {
        let ours = [
            "LD_LIBRARY_PATH": "/opt/lib", "CAMLIBS": "/opt/cam", "IOLIBS": "/opt/io", "FILMGATE_PASSPHRASE": "secret",
        ]
        let told = ChildProgram.environment { ours[$0] }
        #expect(told == ["LD_LIBRARY_PATH=/opt/lib", "CAMLIBS=/opt/cam", "IOLIBS=/opt/io"])
    }

    @Test func silenceEndsTheProcess() {
        let error = failure("exec sleep 600", silence: .milliseconds(50))
        #expect(error?.code == .deviceGone)
        #expect(error?.message.contains("hung") == true)
    }

    @Test func invalidDataEndsTheProcess() {
        // What it was asked is no answer, and neither is a line of text.
        #expect(failure("exec cat")?.message.contains("invalid data") == true)
        #expect(failure("echo 'cannot open the camera'; exec sleep 600")?.message.contains("invalid data") == true)
    }

    @Test func aMissingProgramIsToldWithAdvice() {
        let error = #expect(throws: IngestError.self) { _ = try GPhotoProcess(program: nil) }
        #expect(error?.code == .notFound && error?.advice?.contains("make install") == true)
        #expect(throws: IngestError.self) {
            let process = try GPhotoProcess(program: "/nonexistent/filmgate-gphoto2")
            try process.ask(.detect, silence: .seconds(30)) { _ in }
        }
    }

    @Test func endingTwiceIsHarmlessAndEndsWhoAsks() throws {
        let process = try GPhotoProcess(program: "/bin/sh", arguments: ["-c", "exec cat > /dev/null"])
        process.end()
        process.end()
        #expect(throws: IngestError.self) { try process.ask(.list, silence: .seconds(30)) { _ in } }
    }
}
