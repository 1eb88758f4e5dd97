/// A large value kept on the heap, with the manners of a value: thousands of deliveries wait in tables, and are looked
/// at far more often than changed.
@propertyWrapper
struct CopyOnWriteBox<Value: Sendable>: Sendable {
    // Written only while nobody else holds it.
    private final class Box: @unchecked Sendable {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
    private var box: Box

    init(wrappedValue: Value) { box = Box(wrappedValue) }

    var wrappedValue: Value {
        // Lent, not copied: mostly one part of it is asked for.
        _read { yield box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }
}

/// A large value that is mostly not there: then it takes no more room than a pointer.
@propertyWrapper
struct IndirectOptional<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
    private var box: Box?

    init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

    var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map(Box.init) }
    }
}
