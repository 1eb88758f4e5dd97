import CLinux

/// How this process treats memory that it has freed.
public enum HeapMemory {
    /// For programs that run for days: few heaps whatever the number of threads, and large pieces go back to the system
    /// at once.
    ///
    /// Before other threads begin.
    public static func keepSteady() { fg_memory_keep_steady() }

    /// Gives pages that nothing uses back to the system, and blocks for copying that nothing has used since it was
    /// called last.
    ///
    /// What listing a full card took would stay with this process else, for as long as it lives. Takes some
    /// milliseconds.
    public static func giveBack() {
        BufferPool.shared.shrink()
        fg_memory_give_back()
    }

    /// Lets go of the pages of the program and its libraries that only its beginning needed: 17 MB of 48 in a run.
    ///
    /// They were never written to; those that are needed again come back from their files. Takes some microseconds.
    public static func forgetBeginning() { fg_memory_forget_program() }
}
