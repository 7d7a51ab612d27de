//! The root module: the functions that a plugin dylib exports, and the handles that they pass.
//!
//! Order of calls: `manifest`, `selftest`, then `configure` for each instance. An instance gets `catalogue` and any
//! number of `start`s. Each job gets `resume` until it ends, then one `drop_job`. `drop_instance` follows the last of
//! them. No function unwinds.
#![expect(unsafe_code, reason = "handles are raw pointers, and the prefix type is reached through one")]
#![allow(missing_debug_implementations, reason = "abi_stable's derive makes helper types without Debug")]

use abi_stable::StableAbi;
use abi_stable::declare_root_module_statics;
use abi_stable::library::RootModule;
use abi_stable::package_version_strings;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RResult, RSlice, RStr, RVec};

/// Functions that a plugin dylib exports.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginRef)))]
#[sabi(missing_field(panic))]
pub struct Plugin {
    /// [`crate::API_REV`] that the plugin was built with.
    pub api_rev: u32,
    /// Manifest as JSON, equal to that of the ELF note ([`crate::note`]).
    pub manifest: extern "C" fn() -> RStr<'static>,
    /// Takes a CBOR [`crate::map::Settings`]; returns an instance or a CBOR [`crate::map::SettingsError`]. Called when
    /// the plugin is loaded and whenever its settings change.
    pub configure: extern "C" fn(RSlice<'_, u8>) -> RResult<RawInstance, RVec<u8>>,
    /// Returns a CBOR [`crate::map::Catalogue`]. Called once per instance; empty bytes are a fault.
    pub catalogue: extern "C" fn(&RawInstance) -> RVec<u8>,
    /// Takes a CBOR [`crate::map::Start`]; returns a job or a CBOR [`crate::map::StartError`].
    pub start: extern "C" fn(&RawInstance, RSlice<'_, u8>) -> RResult<RawJob, RVec<u8>>,
    /// Takes replies and returns reads and findings, for several jobs in one [`crate::frame`]. The first resume of a
    /// job has no replies. Empty bytes mean that the caller's frame was invalid.
    pub resume: extern "C" fn(RSlice<'_, RawJob>, RSlice<'_, u8>) -> RVec<u8>,
    /// Ends a job, finished or not.
    pub drop_job: extern "C" fn(RawJob),
    /// Ends an instance; all its jobs have ended before.
    pub drop_instance: extern "C" fn(RawInstance),
    /// Returns a CBOR [`crate::map::Selftest`]: the plugin checks its own machinery, without reads.
    #[sabi(last_prefix_field)]
    pub selftest: extern "C" fn() -> RVec<u8>,
}

impl RootModule for PluginRef {
    declare_root_module_statics! {PluginRef}

    const BASE_NAME: &'static str = "portolan_plugin";
    const NAME: &'static str = "portolan_plugin";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}

/// An instance of a plugin, as `configure` returns it. Its jobs share it, on any thread.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub struct RawInstance(pub *mut ());

// SAFETY: the pointer is only handed back to the plugin, whose instances are `Sync` (the SDK demands it).
unsafe impl Send for RawInstance {}
// SAFETY: as above.
unsafe impl Sync for RawInstance {}

/// A job; used by one thread at a time, on any thread.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub struct RawJob(pub *mut ());

// SAFETY: the pointer is only handed back to the plugin, whose jobs are `Send` (the SDK demands it).
unsafe impl Send for RawJob {}
// SAFETY: a shared reference to the handle gives no access to the job.
unsafe impl Sync for RawJob {}
