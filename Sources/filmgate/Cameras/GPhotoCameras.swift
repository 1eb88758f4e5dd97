import FilmgateCore
import GPhoto2Source
import PTPKit
import USBKit

/// Cameras that libgphoto2 finds; none where its process is not installed.
struct GPhotoCameras {
    static let module = GPhoto2Source.manifest.name
    let context: CommandContext

    /// By the same addresses as those that other modules give, whoever else would take them.
    ///
    /// Opens no camera.
    func places() async throws(IngestError) -> [SourcePlace] {
        let moduleContext = ModuleContext(name: Self.module, logger: context.logger, state: context.state)
        do throws(IngestError) { return try await GPhoto2Source(GPhoto2Source.Config(), moduleContext).places() } catch
        {
            if error.code == .notFound { return [] }
            throw error
        }
    }

    /// A camera on the network, by libgphoto2's name of that port; whether one is there shows when it is opened.
    static func place(at host: CameraHost) -> SourcePlace {
        let port = host.port.map { ":\($0):\($0)" } ?? ""
        return SourcePlace(source: module, address: "gphoto2://ptpip:\(host.host)\(port)", label: "PTP/IP Camera")
    }

    /// Those that `id` names: by address, port, or a part of the model; `usb` names all on USB.
    ///
    /// By the serial number and the names that `devices` have on the bus, too: libgphoto2 has its own for a model, and
    /// no number.
    static func meant(_ id: String, among places: [SourcePlace], devices: [USBDevice] = []) -> [SourcePlace] {
        if id == "usb" { return places.filter { $0.address.hasPrefix("usb://") } }
        let exact = places.filter {
            $0.address == id || $0.address == "usb://" + id || GPhoto2Source.port(of: $0) == id
        }
        if !exact.isEmpty { return exact }
        let known = Set(CameraChooser.meant(id, among: devices).map { "usb://" + $0.address })
        let plugged = places.filter { known.contains($0.address) }
        return plugged.isEmpty
            ? places.filter { $0.label.lowercased().contains(id.lowercased()) && !id.isEmpty } : plugged
    }
}
