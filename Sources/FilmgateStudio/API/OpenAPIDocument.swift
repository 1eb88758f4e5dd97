public import FilmgateCore
import HTTPTypes

/// The API as an OpenAPI 3.1 document, made of the table of routes.
enum OpenAPIDocument {
    static func value(_ routes: [Route]) -> JSONValue {
        var paths = JSONObject()
        for route in routes {
            var operations = paths[route.path]?.members ?? JSONObject()
            operations[route.method.rawValue.lowercased()] = operation(route)
            paths[route.path] = .object(operations)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Filmgate Studio", "version": "1",
                "description": .string(
                    "What the page of `filmgate studio` asks. Objects have the same fields as the JSON Lines of the commands; fields may be "
                        + "added. Programs send a token of `filmgate studio token` as a bearer."),
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": "http://127.0.0.1:8484"]],
            "paths": .object(paths),
            "components": ["schemas": .object(Shape.all), "securitySchemes": securitySchemes],
        ]
    }

    private static let securitySchemes: JSONValue = [
        "token": ["type": "http", "scheme": "bearer", "description": "A token of `filmgate studio token`."],
        "cookie": [
            "type": "apiKey", "in": "cookie", "name": "filmgate_0a1b2c3d",
            "description": "One half of a paired browser's session; its digits are those of the state directory.",
        ],
        "key": ["type": "apiKey", "in": "header", "name": "X-Filmgate-Key", "description": "The other half."],
    ]

    private static func operation(_ route: Route) -> JSONValue {
        var operation: JSONObject = ["operationId": .string(route.id), "summary": .string(route.summary)]
        if route.need == .nothing {
            operation["security"] = .array([])
        } else {
            operation["security"] = [["token": []], ["cookie": [], "key": []]]
            operation["x-role"] = .string(route.need.word)
        }
        var parameters = route.parameters.map(parameter)
        if route.answer.shape == "Job", route.takesBody { parameters.append(idempotencyKey) }
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let shape = route.bodyShape {
            let content: JSONValue = ["application/json": ["schema": Shape.reference(shape)]]
            operation["requestBody"] = ["required": .bool(true), "content": content]
        } else if route.takesBody || !route.fields.isEmpty {
            operation["requestBody"] = body(route)
        }
        var answers: JSONObject = [String(route.answer.status): answer(route.answer)]
        answers["default"] = answer(
            .init(status: 0, help: "Refused or failed: what happened and what to do.", shape: "Error"))
        operation["responses"] = .object(answers)
        return .object(operation)
    }

    private static func answer(_ answer: Route.Answering) -> JSONValue {
        let schema: JSONValue = ["schema": Shape.reference(answer.shape)]
        return [
            "description": .string(answer.help), "content": .object(JSONObject([(key: answer.type, value: schema)])),
        ]
    }

    private static let idempotencyKey: JSONValue = [
        "name": "Idempotency-Key", "in": "header", "schema": ["type": "string", "maxLength": .integer(128)],
        "description": "The same request, sent again with the same key, is carried out once.",
    ]

    private static func parameter(_ parameter: Route.Parameter) -> JSONValue {
        var object: JSONObject = [
            "name": .string(parameter.name), "in": parameter.isInPath ? "path" : "query",
            "description": .string(parameter.help),
        ]
        if parameter.isInPath { object["required"] = .bool(true) }
        switch parameter.kind {
        case .text(let longest): object["schema"] = ["type": "string", "maxLength": .integer(Int64(longest))]
        case .number(let range):
            object["schema"] = [
                "type": "integer", "minimum": .integer(Int64(range.lowerBound)),
                "maximum": .integer(Int64(range.upperBound)),
            ]
        case .time: object["schema"] = ["type": "string", "format": "date-time"]
        case .words(let words):
            object["schema"] = [
                "type": "array", "items": ["type": "string", "enum": .array(words.map { .string($0) })],
            ]
            (object["style"], object["explode"]) = ("form", .bool(false))
        }
        return .object(object)
    }

    private static func body(_ route: Route) -> JSONValue {
        var properties = JSONObject()
        for field in route.fields {
            var schema: JSONObject = ["type": "string", "maxLength": .integer(256), "description": .string(field.help)]
            if let words = field.words { schema["enum"] = .array(words.map { .string($0) }) }
            properties[field.name] = .object(schema)
        }
        if route.takesSelection { properties["selection"] = Shape.reference("Selection") }
        let schema: JSONValue = [
            "type": "object", "properties": .object(properties), "additionalProperties": .bool(false),
            "required": .array(route.fields.filter(\.isRequired).map { .string($0.name) }),
        ]
        return ["required": .bool(true), "content": ["application/json": ["schema": schema]]]
    }
}

extension Route.Need {
    var word: String {
        switch self {
        case .nothing: "none"
        case .session: "any"
        case .role(let role): role.rawValue
        }
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(JSONObject(members.map { (key: $0.0, value: $0.1) }))
    }
    public init(arrayLiteral items: JSONValue...) { self = .array(items) }
}
