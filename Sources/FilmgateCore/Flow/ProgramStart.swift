public import Glibc

/// Starting programs that may have been written just now.
public enum ProgramStart {
    /// What `spawn` gives (the child and posix_spawn's code), called again while that is ETXTBSY, for five seconds at most.
    ///
    /// Blocks. A program's file may still be open for writing, by whoever copies it or in a child that was forked meanwhile (execve(2)).
    public static func whenWritten(
        unless isStopped: () -> Bool = { false }, _ spawn: () -> (child: pid_t, code: CInt)
    ) -> (child: pid_t, code: CInt) {
        var result = spawn()
        for _ in 0..<250 where result.code == ETXTBSY && !isStopped() {
            usleep(20_000)
            result = spawn()
        }
        return result
    }
}
