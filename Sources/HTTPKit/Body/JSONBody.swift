public import FilmgateCore

extension JSONValue {
    /// A request's body.
    public var body: HTTPBody { .text(serialized, type: "application/json") }
}
