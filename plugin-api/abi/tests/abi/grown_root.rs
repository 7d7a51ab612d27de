//! A root module with an added function: which side may be newer, and how layouts must be compared.
#![allow(missing_debug_implementations, reason = "abi_stable's derive makes helper types without Debug")]
#![allow(dead_code, reason = "the accessors are there to be compared, and few are called")]
#![allow(unreachable_pub, reason = "a prefix type and its accessors have one visibility")]
#![expect(unsafe_code, reason = "an older module is looked at as if it were a newer one")]

use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::{CheckingGlobals, check_layout_compatibility_with_globals};
use abi_stable::prefix_type::PrefixTypeTrait;
use abi_stable::std_types::{RResult, RSlice, RStr, RVec};
use abi_stable::type_layout::TypeLayout;
use portolan_abi::root;
use portolan_abi::root::{RawInstance, RawJob};

/// The root module of a later revision: one function appended, optional for the reader.
mod later {
    use super::*;

    #[repr(C)]
    #[derive(StableAbi)]
    #[sabi(kind(Prefix(prefix_ref = PluginRef)))]
    #[sabi(missing_field(panic))]
    pub struct Plugin {
        pub api_rev: u32,
        pub manifest: extern "C" fn() -> RStr<'static>,
        pub configure: extern "C" fn(RSlice<'_, u8>) -> RResult<RawInstance, RVec<u8>>,
        pub catalogue: extern "C" fn(&RawInstance) -> RVec<u8>,
        pub start: extern "C" fn(&RawInstance, RSlice<'_, u8>) -> RResult<RawJob, RVec<u8>>,
        pub resume: extern "C" fn(RSlice<'_, RawJob>, RSlice<'_, u8>) -> RVec<u8>,
        pub drop_job: extern "C" fn(RawJob),
        pub drop_instance: extern "C" fn(RawInstance),
        #[sabi(last_prefix_field)]
        pub selftest: extern "C" fn() -> RVec<u8>,
        #[sabi(missing_field(option))]
        pub decode: extern "C" fn(RSlice<'_, u8>) -> RVec<u8>,
    }
}

/// The root module with a retyped function, which is never allowed.
mod broken {
    use super::*;

    #[repr(C)]
    #[derive(StableAbi)]
    #[sabi(kind(Prefix(prefix_ref = PluginRef)))]
    #[sabi(missing_field(panic))]
    pub struct Plugin {
        pub api_rev: u32,
        pub manifest: extern "C" fn() -> RVec<u8>,
        pub configure: extern "C" fn(RSlice<'_, u8>) -> RResult<RawInstance, RVec<u8>>,
        pub catalogue: extern "C" fn(&RawInstance) -> RVec<u8>,
        pub start: extern "C" fn(&RawInstance, RSlice<'_, u8>) -> RResult<RawJob, RVec<u8>>,
        pub resume: extern "C" fn(RSlice<'_, RawJob>, RSlice<'_, u8>) -> RVec<u8>,
        pub drop_job: extern "C" fn(RawJob),
        pub drop_instance: extern "C" fn(RawInstance),
        #[sabi(last_prefix_field)]
        pub selftest: extern "C" fn() -> RVec<u8>,
    }
}

const NOW: &TypeLayout = <root::PluginRef as StableAbi>::LAYOUT;
const LATER: &TypeLayout = <later::PluginRef as StableAbi>::LAYOUT;
const BROKEN: &TypeLayout = <broken::PluginRef as StableAbi>::LAYOUT;

/// Compares with its own globals: the process-wide map remembers earlier comparisons.
fn is_accepted(expected: &'static TypeLayout, found: &'static TypeLayout) -> bool {
    check_layout_compatibility_with_globals(expected, found, &CheckingGlobals::new()).is_ok()
}

#[test]
fn a_newer_host_accepts_an_older_plugin_when_the_plugin_is_what_is_expected() {
    let (host, plugin) = (LATER, NOW);
    assert!(is_accepted(plugin, host));
}

#[test]
fn the_other_way_round_every_older_plugin_would_be_refused() {
    let (host, plugin) = (LATER, NOW);
    assert!(!is_accepted(host, plugin));
}

#[test]
fn a_host_accepts_a_plugin_of_its_own_revision() {
    assert!(is_accepted(NOW, NOW));
    assert!(is_accepted(LATER, LATER));
}

#[test]
fn a_retyped_function_is_refused_either_way() {
    assert!(!is_accepted(NOW, BROKEN));
    assert!(!is_accepted(BROKEN, NOW));
    assert!(!is_accepted(BROKEN, LATER));
}

#[test]
fn an_appended_function_is_none_in_an_older_plugin() {
    extern "C" fn text() -> RStr<'static> {
        RStr::from_str("{}")
    }
    extern "C" fn refuse(_: RSlice<'_, u8>) -> RResult<RawInstance, RVec<u8>> {
        RResult::RErr(RVec::new())
    }
    extern "C" fn catalogue(_: &RawInstance) -> RVec<u8> {
        RVec::new()
    }
    extern "C" fn start(_: &RawInstance, _: RSlice<'_, u8>) -> RResult<RawJob, RVec<u8>> {
        RResult::RErr(RVec::new())
    }
    extern "C" fn resume(_: RSlice<'_, RawJob>, _: RSlice<'_, u8>) -> RVec<u8> {
        RVec::new()
    }
    extern "C" fn drop_job(_: RawJob) {}
    extern "C" fn drop_instance(_: RawInstance) {}
    extern "C" fn selftest() -> RVec<u8> {
        RVec::from(vec![0xa0])
    }
    let old = root::Plugin {
        api_rev: 1,
        manifest: text,
        configure: refuse,
        catalogue,
        start,
        resume,
        drop_job,
        drop_instance,
        selftest,
    };
    let old = old.leak_into_prefix();
    // SAFETY: both are prefix types with the same fields, and the newer one only appends: the layout check above shows
    // it. The reference itself reports how many fields are present.
    let seen_by_newer_host: later::PluginRef = unsafe { std::mem::transmute(old) };
    assert_eq!(seen_by_newer_host.api_rev(), 1);
    assert_eq!(seen_by_newer_host.manifest()().as_str(), "{}");
    assert_eq!(seen_by_newer_host.selftest()().as_slice(), [0xa0]);
    assert!(seen_by_newer_host.decode().is_none());
}
