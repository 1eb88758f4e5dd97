import CGPhoto2
import GPhoto2Wire
import Glibc

/// libgphoto2's number for what went wrong.
struct GPFailure: Error { var code: Int32 }

/// A list of libgphoto2's: names, each perhaps with a value.
final class GPList {
    let raw: OpaquePointer

    init?() {
        var made: OpaquePointer?
        guard gp_list_new(&made) >= 0, let made else { return nil }
        raw = made
    }
    deinit { gp_list_free(raw) }

    var count: Int32 { max(0, gp_list_count(raw)) }

    func name(_ index: Int32) -> [UInt8]? {
        var text: UnsafePointer<CChar>?
        return gp_list_get_name(raw, index, &text) >= 0 ? Text.bytes(text) : nil
    }

    func value(_ index: Int32) -> [UInt8]? {
        var text: UnsafePointer<CChar>?
        return gp_list_get_value(raw, index, &text) >= 0 ? Text.bytes(text) : nil
    }
}

/// A camera that libgphoto2 has opened; closed with this object.
final class OpenCamera {
    let raw: UnsafeMutablePointer<Camera>
    private let model: String
    private let context: OpaquePointer?

    private init(_ raw: UnsafeMutablePointer<Camera>, _ model: String, _ context: OpaquePointer?) {
        (self.raw, self.model, self.context) = (raw, model, context)
    }

    deinit {
        gp_camera_exit(raw, context)
        gp_camera_unref(raw)
    }

    static func open(_ model: String, _ port: String, _ context: OpaquePointer?) -> Result<OpenCamera, GPFailure> {
        guard let model = model.isEmpty ? detected(at: port, context) : model else {
            return .failure(GPFailure(code: GP_ERROR_MODEL_NOT_FOUND))
        }
        var made: UnsafeMutablePointer<Camera>?
        var code = gp_camera_new(&made)
        guard code >= 0, let made else { return .failure(GPFailure(code: code)) }
        code = choose(made, model, context)
        if code >= 0 { code = choose(made, port: port) }
        if code >= 0 { code = gp_camera_init(made, context) }
        guard code >= 0 else {
            gp_camera_unref(made)
            return .failure(GPFailure(code: code))
        }
        return .success(OpenCamera(made, model, context))
    }

    private static func detected(at port: String, _ context: OpaquePointer?) -> String? {
        guard let list = GPList(), gp_camera_autodetect(list.raw, context) >= 0 else { return nil }
        let found = (0..<list.count).first { list.value($0) == Array(port.utf8) }
        return found.flatMap { list.name($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func choose(
        _ camera: UnsafeMutablePointer<Camera>, _ model: String, _ context: OpaquePointer?
    ) -> Int32 {
        var list: OpaquePointer?
        guard gp_abilities_list_new(&list) >= 0, let list else { return GP_ERROR_NO_MEMORY }
        defer { gp_abilities_list_free(list) }
        var abilities = CameraAbilities()
        let code = gp_abilities_list_load(list, context)
        guard code >= 0 else { return code }
        let index = gp_abilities_list_lookup_model(list, model)
        guard index >= 0 else { return index }
        let got = gp_abilities_list_get_abilities(list, index, &abilities)
        return got < 0 ? got : gp_camera_set_abilities(camera, abilities)
    }

    private static func choose(_ camera: UnsafeMutablePointer<Camera>, port: String) -> Int32 {
        var list: OpaquePointer?
        guard gp_port_info_list_new(&list) >= 0, let list else { return GP_ERROR_NO_MEMORY }
        defer { gp_port_info_list_free(list) }
        var info: GPPortInfo?
        let code = gp_port_info_list_load(list)
        guard code >= 0 else { return code }
        let index = gp_port_info_list_lookup_path(list, port)
        guard index >= 0 else { return index }
        let got = gp_port_info_list_get_info(list, index, &info)
        return got < 0 ? got : gp_camera_set_port_info(camera, info)
    }

    func body(_ context: OpaquePointer?) -> GPhotoBody {
        GPhotoBody(make: setting("manufacturer", context), model: model, serial: setting("serialnumber", context))
    }

    /// A setting's text; empty where the camera has none by that name.
    private func setting(_ name: String, _ context: OpaquePointer?) -> String {
        var widget: OpaquePointer?
        guard gp_camera_get_single_config(raw, name, &widget, context) >= 0, let widget else { return "" }
        defer { gp_widget_free(widget) }
        return String(decoding: Text.bytes(fg_widget_text(widget)), as: UTF8.self)
    }

    /// True when the camera says what stores it has, and that nothing fits into any of them.
    func lacksCard(_ context: OpaquePointer?) -> Bool {
        var stores: UnsafeMutablePointer<CameraStorageInformation>?
        var count: Int32 = 0
        guard gp_camera_get_storageinfo(raw, &stores, &count, context) >= 0 else { return false }
        defer { free(stores) }
        guard let stores else { return true }
        return (0..<Int(max(0, count))).allSatisfy { index in
            let knowsRoom = stores[index].fields.rawValue & GP_STORAGEINFO_MAXCAPACITY.rawValue != 0
            return knowsRoom && stores[index].capacitykbytes == 0
        }
    }

    /// Nil where the camera no longer has it; without its size where the camera has it and says nothing of it.
    func facts(_ path: GPhotoPath, _ context: OpaquePointer?) -> GPhotoFile? {
        var info = CameraFileInfo()
        let code = gp_camera_file_get_info(raw, Text.c(path.folder), Text.c(path.name), &info, context)
        if code == GP_ERROR_FILE_NOT_FOUND || code == GP_ERROR_DIRECTORY_NOT_FOUND { return nil }
        guard code >= 0 else { return GPhotoFile(path: path, size: GPhotoFile.unknownSize, seconds: 0) }
        let knowsSize = info.file.fields.rawValue & GP_FILE_INFO_SIZE.rawValue != 0
        let knowsTime = info.file.fields.rawValue & GP_FILE_INFO_MTIME.rawValue != 0
        return GPhotoFile(
            path: path, size: knowsSize ? UInt64(info.file.size) : GPhotoFile.unknownSize,
            seconds: knowsTime ? Int64(info.file.mtime) : 0)
    }
}
