import Testing
import USBKit

/// Without udevd, as in a container: the tree itself is looked at.
@Suite struct USBChangesTests {
    @Test(.timeLimit(.minutes(5))) func devicesThatComeAndGoAreToldOnce() async throws {
        let system = try FakeSystem()
        try system.plug("1-1", number: 4)
        var changes = USBHost(system.places).changes(polling: .milliseconds(10)).makeAsyncIterator()
        #expect(await changes.next().map(text) == "+001/004")
        try system.plug("1-2", number: 5)
        #expect(await changes.next().map(text) == "+001/005")
        try system.unplug("1-1")
        #expect(await changes.next().map(text) == "-001/004")
    }

    @Test(.timeLimit(.minutes(5))) func aDeviceThatCameBackBetweenTwoLooksLeftAndArrived() async throws {
        let system = try FakeSystem()
        try system.plug("1-1", number: 4)
        let host = USBHost(system.places)
        var changes = host.changes(polling: .milliseconds(200)).makeAsyncIterator()
        #expect(await changes.next().map(text) == "+001/004")
        try system.unplug("1-1")
        try system.plug("1-1", number: 5)
        // The first look may have fallen between the two: both orders say the same.
        #expect(await changes.next().map(text) == "-001/004")
        #expect(await changes.next().map(text) == "+001/005")
    }

    private func text(_ change: USBChange) -> String {
        switch change {
        case .arrived(let device): "+" + device.address
        case .left(let device): "-" + device.address
        }
    }
}
