import FilmgateCore
import Logging
import PTPKit

/// Has a session with a camera as a pipeline would, and writes down what was said.
struct CameraRecorder {
    /// What is read of the first file: enough to see how the camera sends it.
    private static let sample: UInt64 = 1 << 20

    let context: CommandContext

    /// The scrubbed transcript.
    ///
    /// What fails on the way is part of it; only a camera that cannot be opened is an error.
    func record(_ id: String) async throws(IngestError) -> String {
        let (connector, matcher) = try await CameraChooser(context: context).connector(to: id)
        // The session that found out whose it is must end before another begins.
        await context.connections.release(connector.address)
        let recorder = Recorder(usb: connector.usb)
        do throws(PTPError) {
            let camera = try await open(connector, recorder)
            let info = await camera.info
            let quirks = (matcher.match(info, connector.usb)?.quirks ?? matcher.quirks).with {
                $0.patience = .seconds(5)
            }
            await camera.apply(quirks)
            await session(with: camera, matcher.handler, recorder)
            return Scrubber([info.serial]).scrubbed(recorder.recording).text
        } catch { throw IngestError(error, camera: id) }
    }

    private func open(_ connector: any CameraConnector, _ recorder: Recorder) async throws(PTPError) -> PTPCamera {
        let pool = BlockingPool(width: 1), connections = context.connections
        let result: Result<PTPCamera, PTPError>
        do throws(IngestError) {
            result = try await pool.run { () throws(IngestError) in
                Result { () throws(PTPError) in PTPCamera(ObservedLink(try connections.connect(connector), recorder)) }
            }
        } catch { throw .sink(error) }
        let camera = try result.get()
        do throws(PTPError) { try await camera.open() } catch {
            await camera.close()
            throw error
        }
        return camera
    }

    private func session(with camera: PTPCamera, _ handler: any ManufacturerHandler, _ recorder: Recorder) async {
        do throws(PTPError) {
            try await camera.run { camera throws(PTPError) in
                try handler.prepare(camera)
                _ = CameraFacts.inventory(camera)
                let objects = try handler.list(camera)
                if let object = objects.first(where: { $0.size > 0 }) {
                    recorder.leaveOutContent(true)
                    try handler.fetch(object, 0..<min(object.size, Self.sample), camera, into: DiscardingSink())
                    recorder.leaveOutContent(false)
                }
                try camera.pollEvents()
                _ = try handler.news(camera, camera.eventQueue.take().events)
            }
        } catch { context.logger.warning("The session broke off: \(error)") }
        try? await camera.run { camera throws(PTPError) in
            recorder.leaveOutContent(false)
            if camera.failure == nil { handler.release(camera) }
            camera.close()
        }
    }
}

/// Takes bytes and keeps none.
private struct DiscardingSink: ByteSink {
    func write(_ bytes: RawSpan) throws(IngestError) {}
}
