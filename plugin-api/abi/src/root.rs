//! The root module: the functions that a plugin dylib exports, and the handles that they pass.
//!
//! Order of calls: `manifest`, `selftest`, then `configure` for each instance; `catalogue` and any number of
//! `start`s of an instance; `resume` until each job has ended; `drop_job` once for each job, before
//! `drop_instance` of its instance. No function unwinds.
#![expect(unsafe_code, reason = "handles are raw pointers, and the prefix type is reached through one")]
#![allow(missing_debug_implementations, reason = "abi_stable's derive makes helper types without Debug")]

use abi_stable::StableAbi;
use abi_stable::declare_root_module_statics;
use abi_stable::library::RootModule;
use abi_stable::package_version_strings;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RResult, RSlice, RStr, RVec};

/// What a plugin dylib exports.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginRef)))]
#[sabi(missing_field(panic))]
pub struct Plugin {
    /// The [`crate::API_REV`] that the plugin was built with.
    pub api_rev: u32,
    /// The manifest as JSON, equal to the ELF note's ([`crate::note`]).
    pub manifest: extern "C" fn() -> RStr<'static>,
    /// A CBOR [`crate::map::Settings`] in, an instance out, or a CBOR [`crate::map::SettingsError`].
    /// Called when the plugin is loaded and whenever its settings change.
    pub configure: extern "C" fn(RSlice<'_, u8>) -> RResult<RawInstance, RVec<u8>>,
    /// A CBOR [`crate::map::Catalogue`]. Called once for each instance; empty bytes are a fault.
    pub catalogue: extern "C" fn(&RawInstance) -> RVec<u8>,
    /// A CBOR [`crate::map::Start`] in, a job out, or a CBOR [`crate::map::StartError`].
    pub start: extern "C" fn(&RawInstance, RSlice<'_, u8>) -> RResult<RawJob, RVec<u8>>,
    /// Replies in, reads and findings out, for several jobs in one [`crate::frame`]. The first resume of a job has
    /// no replies. Empty bytes are a fault of the caller's frame.
    pub resume: extern "C" fn(RSlice<'_, RawJob>, RSlice<'_, u8>) -> RVec<u8>,
    /// Ends a job, finished or not.
    pub drop_job: extern "C" fn(RawJob),
    /// Ends an instance; its jobs have ended before.
    pub drop_instance: extern "C" fn(RawInstance),
    /// A CBOR [`crate::map::Selftest`]: the plugin tries its own machinery, without reads.
    #[sabi(last_prefix_field)]
    pub selftest: extern "C" fn() -> RVec<u8>,
}

impl RootModule for PluginRef {
    declare_root_module_statics! {PluginRef}

    const BASE_NAME: &'static str = "portolan_plugin";
    const NAME: &'static str = "portolan_plugin";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}

/// An instance of a plugin: one outcome of `configure`. Shared by its jobs, on any threads.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub struct RawInstance(pub *mut ());

// SAFETY: the pointer is only handed back to the plugin, whose instances are `Sync` (the SDK demands it).
unsafe impl Send for RawInstance {}
// SAFETY: as above.
unsafe impl Sync for RawInstance {}

/// A job: touched by one thread at a time, on any thread.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub struct RawJob(pub *mut ());

// SAFETY: the pointer is only handed back to the plugin, whose jobs are `Send` (the SDK demands it).
unsafe impl Send for RawJob {}
// SAFETY: a shared reference to the handle gives no access to the job.
unsafe impl Sync for RawJob {}
