//! Tunes the C library's allocator, which plugins share: few arenas, and freed memory goes back to the system.
#![expect(unsafe_code, reason = "functions of the C library")]

/// Maximum number of arenas. Each holds free pages that other arenas cannot use.
const ARENAS_MAX: libc::c_int = 4;
/// Allocations from this size on are returned to the system once freed. Set because glibc otherwise raises the bound.
const MMAP_FROM_BYTES: libc::c_int = 256 << 10;
/// Free bytes at the end of an arena that stay until [`trim`] returns them. Set because the bound above also ends the
/// growth of this one, and an answer that frees more than 128 KiB would return its pages and take them again.
const KEPT_BYTES: libc::c_int = 8 << 20;

/// Sets the parameters; must be called before the first thread starts.
pub(crate) fn tune() {
    #[cfg(target_env = "gnu")]
    for (parameter, value) in [
        (libc::M_ARENA_MAX, ARENAS_MAX),
        (libc::M_MMAP_THRESHOLD, MMAP_FROM_BYTES),
        (libc::M_TRIM_THRESHOLD, KEPT_BYTES),
    ] {
        // SAFETY: it changes two numbers of the allocator.
        unsafe { libc::mallopt(parameter, value) };
    }
}

/// Returns the free bytes by the allocator's count, which includes pages that `trim` gave back.
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

/// Returns free pages to the system.
pub(crate) fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes the allocator's own locks, and frees nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}
