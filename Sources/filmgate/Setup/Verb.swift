import ArgumentParser

/// A command that does something itself; one that only has others below it is none.
protocol Verb: AsyncParsableCommand {
    /// Ends with an `Exit` where the program has to end with another code than 0.
    func run(in invocation: Invocation) async throws
}

extension Verb {
    /// On the command line of this process, where the library starts it.
    mutating func run() async throws { try await run(in: Invocation()) }
}
