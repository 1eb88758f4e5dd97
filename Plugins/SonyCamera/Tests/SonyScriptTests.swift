import CameraTesting
import PTPKit
import SonyCamera
import Testing
import VirtualCamera

@Suite struct SonyScriptTests {
    @Test(.timeLimit(.minutes(5)), arguments: 1...40 as ClosedRange<UInt64>)
    func anythingAtAllIsSurvived(seed: UInt64) async {
        for round in 0..<20 as Range<UInt64> {
            await ScriptedLink.exercise(
                SonyHandler(remote: true), as: SonyPersonality(remote: true).info,
                ScriptedLink.random(seed * 1000 + round))
        }
    }
}
