import FilmgateCore

/// The shapes of the answers, as JSON Schema.
enum Shape {
    static let all: JSONObject = [
        "Error": failed,
        "About": object("about", ["name": text, "version": text, "pairing": texts]),
        "Opened": object("session", grant.adding(["key": text])),
        "Session": object("session", grant),
        "Grant": object(
            nil,
            JSONObject(grant.map { ($0.key, $0.value) }).adding([
                "type": ["enum": ["code", "link", "session", "token"]]
            ])),
        "Whoami": object(nil, grant.adding(["type": ["enum": ["session", "token"]], "catalog": flag])),
        "Stations": object(
            "stations",
            [
                "catalog": flag, "pipeline": flag, "at": optional("string"), "own": ["type": ["object", "null"]],
                "total": whole, "stations": list(of: "Station"), "trouble": optional("object"),
            ]),
        "Station": StationObject.shape,
        "Copies": object("copies", ["sha256": optional("string"), "copies": list(of: "Copy")]),
        "Copy": StationObject.copyShape,
        "Upcoming": object("upcoming", ["total": whole, "frames": list(of: "UpcomingFrame")]),
        "UpcomingFrame": object(
            nil,
            [
                "id": text, "name": text, "kind": text, "size": whole, "source": optional("string"), "begun": flag,
                "picture": flag,
            ]),
        "Grants": object("grants", ["grants": list(of: "Grant")]),
        "Code": object(
            nil,
            grant.adding(["type": ["enum": ["code", "link"]], "code": text, "link": optional("string"), "qr": texts])),
        "Done": object("done", [:]),
        "Status": loose(
            "status", ["running": flag, "paused": flag, "assets": ["type": "object"], "unfinished": whole]),
        "Frames": object(
            "frames",
            [
                "total": whole, "files": whole, "at": whole, "next": optional("string"), "revision": whole,
                "until": optional("string"),
                "frames": ["type": "array", "items": ["anyOf": [reference("Frame"), reference("Brief")]]],
            ]),
        "Frame": adding(others, to: object("item", item)),
        "Brief": brief,
        "File": object(
            "file",
            [
                "frame": reference("Frame"), "facts": ["type": "object"], "wanted": texts,
                "deliveries": list(of: "Delivery"),
                "places": [
                    "type": "array",
                    "items": object(nil, ["source": text, "path": text, "ending": optional("string"), "run": whole]),
                ],
                "notes": ["type": "array", "items": object(nil, ["at": optional("string"), "text": text])],
            ]),
        "Delivery": object("delivery", delivery),
        "Deliveries": object(
            "deliveries",
            [
                "targets": list(of: "Target"), "total": whole, "at": whole, "next": optional("integer"),
                "deliveries": list(of: "Delivery"),
            ]),
        "Target": object(nil, target),
        "Message": [
            "type": "object", "properties": ["type": ["enum": ["hello", "reset", "status", "frames", "job", "cards"]]],
            "required": ["type"],
        ],
        "Runs": object("runs", ["runs": list(of: "Run")]),
        "Run": loose("run", run),
        "RunFiles": object(
            "files",
            [
                "run": reference("Run"), "total": whole, "at": whole, "next": optional("integer"),
                "items": list(of: "Item"),
            ]),
        "Item": object("item", ofCommand),
        "Events": object("events", ["events": list(of: "Event")]),
        "Event": object("event", event),
        "Cards": object(
            "cards", ["pipeline": optional("string"), "mounted": list(of: "Mounted"), "cards": list(of: "Card")]),
        "Mounted": object(
            "mounted", ["id": text, "path": text, "label": text, "readable": flag, "proof": optional("object")]),
        "MarkRequest": markRequest,
        "Selection": selection,
        "Marked": object("marked", ["revision": whole, "undo": text, "pictures": whole]),
        "Job": object("job", job),
        "Jobs": object("jobs", ["jobs": list(of: "Job")]),
        "JobDetails": object(
            "job", job.adding(["lines": texts, "objects": ["type": "array"], "result": optional("object")])),
        "Pipeline": object("pipeline", ["path": text, "text": text]),
        "Profiles": object("profiles", ["profiles": ["type": "array"], "more": flag]),
        "Card": object("card", card),
        "Picture": ["type": "string", "format": "binary"],
        "OpenAPI": ["type": "object", "required": ["openapi", "info", "paths"]],
    ]

    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

    /// An object with exactly these members; `type` is what its `type` says.
    static func object(_ type: String?, _ properties: JSONObject) -> JSONValue {
        var members = JSONObject()
        if let type { members["type"] = ["const": .string(type)] }
        for (key, value) in properties { members[key] = value }
        return [
            "type": "object", "properties": .object(members), "required": .array(members.keys.map { .string($0) }),
            "additionalProperties": .bool(false),
        ]
    }

    /// An object with at least these members.
    private static func loose(_ type: String, _ properties: JSONObject) -> JSONValue {
        guard case .object(var shape) = object(type, properties) else { return .null }
        shape["additionalProperties"] = nil
        return .object(shape)
    }

    private static let text: JSONValue = ["type": "string"], whole: JSONValue = ["type": "integer"]
    private static let flag: JSONValue = ["type": "boolean"]
    private static let texts: JSONValue = ["type": "array", "items": ["type": "string"]]
    private static func optional(_ type: String) -> JSONValue { ["type": [.string(type), "null"]] }
    private static func list(of name: String) -> JSONValue { ["type": "array", "items": reference(name)] }

    private static let grant: JSONObject = [
        "event": optional("string"), "from": optional("string"),
        "id": text, "role": ["enum": .array(Role.allCases.map { .string($0.rawValue) })], "label": text,
        "since": optional("string"), "until": optional("string"),
    ]
    private static let ofCommand: JSONObject = [
        "source": text, "path": text, "shot": text, "kind": text, "ending": optional("string"),
        "reason": optional("string"), "twin": optional("string"), "flags": texts, "sha256": optional("string"),
        "size": whole, "captured": optional("string"), "captured_camera": optional("string"),
        "make": optional("string"), "model": optional("string"), "serial": optional("string"),
        "photographer": optional("string"), "receipts": ["type": "object"],
    ]
    private static let item = ofCommand.adding([
        "id": text, "at": optional("string"), "since": optional("string"), "event": optional("string"),
        "rating": optional("integer"), "pick": picks, "colour": number(PictureMark.colours),
        "marked_by": optional("string"), "marked_at": optional("string"), "lead": optional("string"),
    ])
    /// Only a list by shots has them.
    private static let others: JSONObject = ["others": list(of: "Brief")]
    /// Only an order of marks that broke off has what takes its first parts back.
    private static let failed = adding(
        ["undo": text, "pictures": whole],
        to: object("error", ["code": text, "message": text, "advice": optional("string")]))

    /// With members that may be left out.
    private static func adding(_ members: JSONObject, to shape: JSONValue) -> JSONValue {
        guard case .object(var shape) = shape, case .object(let own)? = shape["properties"] else { return .null }
        shape["properties"] = .object(own.adding(members))
        return .object(shape)
    }

    /// Of what may be left out nothing is required.
    private static let brief: JSONValue = {
        let always = ["id", "path", "kind", "ending"]
        let sometimes = [
            "since", "sha256", "captured", "make", "model", "receipts", "rating", "pick", "colour", "lead",
        ]
        let known = JSONObject(item.filter { (always + sometimes).contains($0.key) })
        return [
            "type": "object", "properties": .object(known.adding(others)),
            "required": .array(always.map { .string($0) }), "additionalProperties": .bool(false),
        ]
    }()
    private static let picks: JSONValue = ["enum": .array(PictureMark.Pick.allCases.map { .string($0.rawValue) })]
    private static func number(_ range: ClosedRange<Int>) -> JSONValue {
        ["type": "integer", "minimum": .integer(Int64(range.lowerBound)), "maximum": .integer(Int64(range.upperBound))]
    }

    /// What is sent to mark pictures.
    static let markRequest: JSONValue = [
        "type": "object", "required": ["set", "selection"], "additionalProperties": .bool(false),
        "properties": [
            "set": [
                "type": "object", "minProperties": .integer(1), "additionalProperties": .bool(false),
                "properties": [
                    "rating": number(PictureMark.ratings), "pick": picks, "colour": number(PictureMark.colours),
                ],
            ],
            "selection": reference("Selection"),
        ],
    ]
    /// The files that a request means.
    private static let selection: JSONValue = [
        "type": "object", "additionalProperties": .bool(false),
        "properties": [
            "sha256": digests(least: 1), "except": digests(least: 0),
            "filter": [
                "type": "object", "additionalProperties": .bool(false),
                "properties": .object(JSONObject(FrameRoutes.filters.map { (key: $0.name, value: text) })),
            ],
            "until": text, "most": ["type": "integer", "minimum": .integer(0)],
        ],
        "oneOf": [["required": ["sha256"]], ["required": ["filter"]]],
    ]
    private static func digests(least: Int) -> JSONValue {
        [
            "type": "array", "minItems": .integer(Int64(least)), "maxItems": .integer(Int64(FrameSelection.mostNamed)),
            "items": ["type": "string", "pattern": "^[0-9a-f]{64}$"],
        ]
    }
    private static let delivery: JSONObject = [
        "target": text, "name": text, "state": text, "path": optional("string"), "url": optional("string"),
        "id": optional("string"), "sha256": optional("string"), "verified": text, "at": optional("string"),
        "reason": optional("string"), "size": whole, "content": text, "event": optional("string"), "attempts": whole,
        "next_try": optional("string"), "denied": optional("string"), "identity": text,
    ]
    private static let target: JSONObject = [
        "name": text, "identity": text, "done": whole, "pending": whole, "held": whole, "failed": whole,
        "cancelled": whole, "bytes_waiting": whole, "oldest_waiting": optional("string"),
        "next_try": optional("string"), "reason": optional("string"), "denied": whole,
        "denied_reason": optional("string"),
    ]
    private static let run: JSONObject = [
        "run": whole, "verb": text, "event": optional("string"), "started": optional("string"),
        "ended": optional("string"), "exit": optional("integer"), "running": flag,
    ]
    private static let event: JSONObject = [
        "name": text, "chosen": flag, "runs": whole, "target": optional("string"), "id": optional("string"),
        "date": optional("string"), "note": optional("string"), "fetched": optional("string"),
    ]
    private static let job: JSONObject = [
        "id": text, "verb": text, "about": text, "by": text,
        "state": ["enum": .array(Job.State.allCases.map { .string($0.rawValue) })], "exit": optional("integer"),
        "started": optional("string"), "ended": optional("string"), "files": whole, "counts": ["type": "object"],
        "message": optional("string"),
    ]
    private static let card: JSONObject = [
        "volume": text, "source": text, "via": text, "files": whole, "bytes": whole, "last": optional("string"),
        "endings": ["type": "object"], "unfinished": whole,
    ]
}
