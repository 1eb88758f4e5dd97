import FilmgateCore
import Glibc

/// Signing in at a terminal: address, code and QR code on stderr; on a desktop the browser opens by itself.
struct TerminalPrompter: SignInPrompter {
    let name: String
    let json: Bool, opensBrowser: Bool
    let console: Console

    func invite(_ prompt: SignInPrompt) async {
        if json {
            var line = JSONWriter()
            line.add("type", "invitation")
            line.add("name", name)
            line.add("url", prompt.url)
            line.add("code", prompt.code)
            line.add("complete_url", prompt.completeURL)
            line.add("qr", QRText.rows(prompt.completeURL ?? prompt.url) ?? [])
            console.out(line.finished)
        } else if let code = prompt.code {
            // Lines of their own: a terminal of 80 columns would break them anywhere.
            console.err("\(name): open this address in any browser, on any device,\n\n  \(Describe.name(prompt.url))\n")
            console.err("and enter the code\n\n  \(Describe.name(code))\n")
            draw(prompt.completeURL ?? prompt.url)
            console.err("Waiting …")
        } else {
            console.err("\(name): open this address in a browser\(prompt.opens ? " on this machine" : "")")
            console.err("\n  \(Describe.name(prompt.url))\n")
        }
        if prompt.opens, opensBrowser, Self.isDesktop { Self.open(prompt.url) }
    }

    private func draw(_ address: String) {
        guard console.stderrIsTerminal, let lines = QRText.lines(address, colour: console.usesColour) else { return }
        guard (lines.first.map { $0.count } ?? 0) <= Console.width + 12 else { return }
        for line in lines { console.err(line) }
        console.err("")
    }

    func ask(_ question: String, hidden: Bool) async throws(IngestError) -> String {
        let answer: String? = await withCheckedContinuation { continuation in
            BlockingThread.run { continuation.resume(returning: Terminal.line(question, hidden: hidden)) }
        }
        guard let answer, !answer.isEmpty else {
            throw IngestError(
                .unauthorized, "Nobody answered: \(question).", advice: "Run it in a terminal, or pipe the answer in.")
        }
        return answer
    }

    func tell(_ sentence: String) async { console.err("\(name): \(Describe.name(sentence))") }

    private static var isDesktop: Bool { getenv("WAYLAND_DISPLAY") != nil || getenv("DISPLAY") != nil }

    /// Lets the desktop open an address, which others on this machine can read in the list of processes.
    ///
    /// Its state and challenge are good for this one sign-in. With the state a code can be sent to us by somebody else;
    /// where there is a challenge (PKCE), only who asked can redeem one. `--no-browser` starts no program.
    private static func open(_ address: String) {
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else { return }
        var command = ChildProcess.Command(["xdg-open", address], environment: ChildProcess.Command.inherited())
        command.isOnPath = true
        (try? ChildProcess(command, [nil, nil, nil]))?.letGo()
    }
}
