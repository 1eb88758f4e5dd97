public import PTPKit
public import VirtualCamera

/// A body that gives answers of the test's own to some operations, and is another one otherwise.
public struct SpoiledPersonality: Personality {
    public typealias Spoil = @Sendable (VirtualRequest, VirtualBody) -> Answer?
    private let inner: any Personality
    private var answers: [OperationCode: Spoil] = [:]

    public init(_ inner: any Personality) { self.inner = inner }

    /// `spoil` decides first about operation `code`; nil leaves it to the body.
    public func answering(_ code: OperationCode, _ spoil: @escaping Spoil) -> SpoiledPersonality {
        var copy = self
        copy.answers[code] = spoil
        return copy
    }

    public var info: DeviceInfo { inner.info }
    public var greeting: String { inner.greeting }
    public var firstHandle: UInt32 { inner.firstHandle }
    public var folder: String { inner.folder }
    public func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        answers[request.operation.code].flatMap { $0(request, body) } ?? inner.answer(request, &body)
    }
    public func announce(_ objects: [VirtualObject], folders: [VirtualObject], _ body: inout VirtualBody) {
        inner.announce(objects, folders: folders, &body)
    }
    public func serve(_ camera: VirtualCamera, address: String, port: UInt16) throws(PTPError) -> any CameraServer {
        try inner.serve(camera, address: address, port: port)
    }
}
