//! The C library's allocator, which plugins share: few arenas, and memory that goes back to the system.
#![expect(unsafe_code, reason = "functions of the C library")]

/// Each has free pages of its own that no other thread uses.
const ARENAS_MAX: libc::c_int = 4;
/// An allocation of this size goes back at once. Named, as glibc would raise the bound with the first large one.
const MMAP_FROM_BYTES: libc::c_int = 256 << 10;

/// Before the first thread.
pub(crate) fn tune() {
    #[cfg(target_env = "gnu")]
    for (parameter, value) in [(libc::M_ARENA_MAX, ARENAS_MAX), (libc::M_MMAP_THRESHOLD, MMAP_FROM_BYTES)] {
        // SAFETY: it changes two numbers of the allocator.
        unsafe { libc::mallopt(parameter, value) };
    }
}

/// Bytes that are free and have not gone back to the system, as far as the allocator knows.
pub(crate) fn free_bytes() -> u64 {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: it takes the allocator's own locks, and only reads.
        let known = unsafe { libc::mallinfo2() };
        u64::try_from(known.fordblks).unwrap_or(u64::MAX)
    }
    #[cfg(not(target_env = "gnu"))]
    0
}

/// Gives free pages back to the system.
pub(crate) fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes the allocator's own locks, and frees nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}
