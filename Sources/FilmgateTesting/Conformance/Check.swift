public import FilmgateCore

/// One rule that every module of a kind has to keep, as a named case: `@Test(arguments: AuthConformance.checks)`.
public struct Check<Bench: Sendable>: Sendable, CustomStringConvertible {
    public let name: String
    private let body: @Sendable (Bench) async throws -> Void

    public init(_ name: String, _ body: @escaping @Sendable (Bench) async throws -> Void) {
        (self.name, self.body) = (name, body)
    }

    /// Throws `CheckFailure` when the rule is broken.
    public func run(_ bench: Bench) async throws { try await body(bench) }

    public var description: String { name }
}

/// What a module did instead of what the rule wants.
public struct CheckFailure: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// Throws unless `condition` holds.
public func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws(CheckFailure) {
    if !condition { throw CheckFailure(otherwise()) }
}

/// The error of `body`.
///
/// Throws when there is none, or its code is not among `codes`.
@discardableResult
public func expectError<Value>(
    _ codes: IngestError.Code..., from body: () async throws(IngestError) -> Value
) async throws(CheckFailure) -> IngestError {
    let result = await Result(catching: body)
    switch result {
    case .success(let value): throw CheckFailure("Expected \(codes.map(\.rawValue)), but it went well: \(value).")
    case .failure(let error) where codes.contains(error.code): return error
    case .failure(let error):
        throw CheckFailure("Expected \(codes.map(\.rawValue)), but it failed with \(error.code.rawValue): \(error)")
    }
}
