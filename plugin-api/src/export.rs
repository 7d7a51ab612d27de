//! The exported functions: bytes outside, the author's types inside.
#![expect(unsafe_code, reason = "handles cross the boundary as raw pointers")]

use std::sync::Arc;

use abi_stable::library::{CheckTypeLayout, IntoRootModuleResult, LibHeader, RootModuleResult};
use abi_stable::prefix_type::PrefixTypeTrait;
use abi_stable::std_types::{RErr, ROk, RResult, RSlice, RStr, RVec};
use portolan_abi::map::{self, Catalogue, ClaimTemplate, Finding, SettingsError, Start};
use portolan_abi::root::{PluginRef, RawInstance, RawJob};
use portolan_abi::{Question, codec};

use crate::error::Error;
use crate::job::{Findings, Job};
use crate::job_context::JobContext;
use crate::panic;
use crate::plugin::Plugin;

use crate::settings::Settings;
use crate::{implemented, selftest, wire};

pub use abi_stable;
pub use portolan_abi::note::{Manifest, Note};

/// Version of the compiler that built this crate, and so the plugin.
pub const RUSTC: &str = env!("PORTOLAN_RUSTC");
/// Target triple.
pub const TARGET: &str = env!("PORTOLAN_TARGET");

/// Implemented by [`crate::export!`] for a plugin's own type.
pub trait Exported: Sized {
    /// The plugin: the type itself, or a shell over the rows that the type provides.
    type Plugin: Plugin;

    /// Manifest of the plugin's crate.
    const MANIFEST: Manifest;
}

struct Instance<P> {
    plugin: P,
    catalogue: Vec<u8>,
    templates: Arc<[ClaimTemplate]>,
}

/// Returns the library header that a host looks for.
pub const fn header<P: Exported>() -> LibHeader {
    extern "C" fn load<P: Exported>() -> RootModuleResult {
        abi_stable::library::__call_root_module_loader(module::<P>)
    }
    // SAFETY: `load` returns a `PluginRef`, the root module that the header is declared for.
    unsafe {
        LibHeader::from_constructor::<<PluginRef as IntoRootModuleResult>::Module>(load::<P>, CheckTypeLayout::Yes)
    }
}

/// Returns the plugin's table of functions.
pub fn module<P: Exported>() -> PluginRef {
    portolan_abi::root::Plugin {
        api_rev: portolan_abi::API_REV,
        manifest: manifest::<P>,
        configure: configure::<P::Plugin>,
        catalogue: catalogue::<P::Plugin>,
        start: start::<P::Plugin>,
        resume,
        drop_job,
        drop_instance: drop_instance::<P::Plugin>,
        selftest: selftest_all::<P::Plugin>,
    }
    .leak_into_prefix()
}

extern "C" fn manifest<P: Exported>() -> RStr<'static> {
    struct Text<P>(P);
    impl<P: Exported> Text<P> {
        const MANIFEST: &'static Manifest = &P::MANIFEST;
    }
    RStr::from_str(Text::<P>::MANIFEST.text())
}

fn configured<P: Plugin>(settings: &Settings) -> Result<(Catalogue, P), SettingsError> {
    let made = panic::catch(|| P::configure(settings).map(|plugin| (plugin.catalogue(), plugin)));
    made.unwrap_or_else(|panic| Err(SettingsError::new(panic)))
}

fn make<P: Plugin>(settings: &Settings) -> Result<Instance<P>, SettingsError> {
    let (catalogue, plugin) = configured::<P>(settings)?;
    // Settings that exclude shipped deployments also exclude the questions that only these declare.
    let shipped = (!settings.serve_shipped()).then(|| configured::<P>(&Settings::default())).transpose()?;
    implemented::check(&plugin, &catalogue, shipped.as_ref().map(|(catalogue, _)| catalogue))
        .map_err(SettingsError::new)?;
    Ok(Instance { plugin, catalogue: codec::encode(&catalogue), templates: catalogue.claims.into() })
}

extern "C" fn configure<P: Plugin>(settings: RSlice<'_, u8>) -> RResult<RawInstance, RVec<u8>> {
    match Settings::decode(settings.as_slice()).and_then(|settings| make::<P>(&settings)) {
        Ok(instance) => ROk(RawInstance(Arc::into_raw(Arc::new(instance)).cast_mut().cast())),
        Err(error) => RErr(codec::encode(&error).into()),
    }
}

/// Returns the instance of a handle, kept alive while the caller holds it.
fn instance<P>(raw: &RawInstance) -> Arc<Instance<P>> {
    let pointer: *const Instance<P> = raw.0.cast_const().cast();
    // SAFETY: the host guarantees that the handle came from `configure::<P>` and has not been dropped.
    unsafe {
        Arc::increment_strong_count(pointer);
        Arc::from_raw(pointer)
    }
}

extern "C" fn catalogue<P: Plugin>(raw: &RawInstance) -> RVec<u8> {
    instance::<P>(raw).catalogue.as_slice().into()
}

extern "C" fn start<P: Plugin>(raw: &RawInstance, start: RSlice<'_, u8>) -> RResult<RawJob, RVec<u8>> {
    let refused = |message: String| RErr(codec::encode(&map::StartError { message }).into());
    let start: Start = match codec::decode(start.as_slice()) {
        Ok(start) => start,
        Err(error) => return refused(format!("start frame: {error}")),
    };
    let instance = instance::<P>(raw);
    let templates = Arc::clone(&instance.templates);
    let (question, context) = (start.question, Arc::new(JobContext::new(start, templates)));
    match findings(instance, Arc::clone(&context), question) {
        Ok(findings) => ROk(RawJob(Box::into_raw(Box::new(Job::new(context, findings))).cast())),
        Err(message) => refused(message),
    }
}

/// Returns the author's future for a question.
///
/// # Errors
/// If the question is unknown or lacks its subject.
fn findings<P: Plugin>(
    instance: Arc<Instance<P>>,
    context: Arc<JobContext>,
    question: Question,
) -> Result<Findings, String> {
    fn all<T: Into<Finding>>(found: Result<Vec<T>, Error>) -> Result<Vec<Finding>, Error> {
        found.map(|found| found.into_iter().map(Into::into).collect())
    }
    let account = context.account();
    Ok(match question {
        Question::CLAIMABLES => Box::pin(async move { all(instance.plugin.claimables(&context, account).await) }),
        Question::FARMING => Box::pin(async move { all(instance.plugin.farming(&context, account).await) }),
        Question::LENDING => Box::pin(async move { all(instance.plugin.lending(&context, account).await) }),
        Question::POOLING => Box::pin(async move { all(instance.plugin.pooling(&context, account).await) }),
        Question::LOCKED => Box::pin(async move { all(instance.plugin.locked(&context, account).await) }),
        Question::COMPOSITION => {
            Box::pin(async move { all(instance.plugin.compositions(&context, context.tokens()).await) })
        }
        Question::EVENTS => {
            let transaction = context.transaction()?;
            Box::pin(async move { all(instance.plugin.events(&context, &transaction).await) })
        }
        _ => return Err(format!("question {} is not supported", question.0)),
    })
}

extern "C" fn resume(jobs: RSlice<'_, RawJob>, frame: RSlice<'_, u8>) -> RVec<u8> {
    let job = |raw: &RawJob| {
        // SAFETY: the host guarantees that the handle came from `start`, has not been dropped, that no other thread
        // uses the job, and that the handles of the slice are distinct.
        unsafe { &mut *raw.0.cast::<Job>() }
    };
    let mut jobs: Vec<&mut Job> = jobs.iter().map(job).collect();
    // Empty bytes report an invalid frame of the host; no job is at fault.
    wire::resume(&mut jobs, frame.as_slice()).unwrap_or_default().into()
}

extern "C" fn drop_job(raw: RawJob) {
    // SAFETY: the handle came from `start` and is dropped once.
    drop(unsafe { Box::from_raw(raw.0.cast::<Job>()) });
}

extern "C" fn drop_instance<P: Plugin>(raw: RawInstance) {
    let pointer: *const Instance<P> = raw.0.cast_const().cast();
    // SAFETY: the handle came from `configure::<P>` and is dropped once.
    let instance = unsafe { Arc::from_raw(pointer) };
    drop(panic::catch(|| drop(instance)));
}

extern "C" fn selftest_all<P: Plugin>() -> RVec<u8> {
    let outcome = selftest::run().and_then(|()| {
        let made = make::<P>(&Settings::default()).map_err(|error| format!("shipped settings: {error}"))?;
        panic::catch(|| drop(made)).map_err(|panic| format!("end of an instance: {panic}"))
    });
    let selftest = map::Selftest { ok: outcome.is_ok(), message: outcome.err().unwrap_or_default() };
    codec::encode(&selftest).into()
}

/// Exports a [`Plugin`](crate::Plugin) as the plugin of this dylib. Use it once per crate. The crate has `crate-type =
/// ["cdylib"]`, and its package name is the plugin's name.
///
/// `export!(Farm)` exports a type that implements the trait. `export!(Shell<Rows>)` exports a plugin whose code is in
/// another crate; `Rows` is a type of this crate with the rows that differ.
#[macro_export]
macro_rules! export {
    ($shell:ident<$rows:ident>) => {
        $crate::exported!($shell<$rows>);
        $crate::export!(@symbols $rows);
    };
    ($plugin:ident) => {
        $crate::exported!($plugin);
        $crate::export!(@symbols $plugin);
    };
    (@symbols $own:ident) => {
        #[used]
        #[unsafe(link_section = ".note.portolan")]
        static PORTOLAN_NOTE: $crate::export::Note =
            $crate::export::Note::new(&<$own as $crate::export::Exported>::MANIFEST);

        /// Named like the header of a library with a root module in `abi_stable`.
        #[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
        pub static PORTOLAN_HEADER: $crate::export::abi_stable::library::LibHeader = $crate::export::header::<$own>();
    };
}

/// Makes a [`Plugin`](crate::Plugin) what [`export!`](crate::export) exports, without the symbols of a dylib: for tests of
/// several plugins in one binary.
#[macro_export]
macro_rules! exported {
    ($shell:ident<$rows:ident>) => {
        $crate::exported!($rows as $shell<$rows>);
    };
    ($plugin:ident) => {
        $crate::exported!($plugin as $plugin);
    };
    ($own:ident as $plugin:ty) => {
        impl $crate::export::Exported for $own {
            type Plugin = $plugin;

            const MANIFEST: $crate::export::Manifest = $crate::export::Manifest::new(&[
                "{\"plugin\":\"",
                env!("CARGO_PKG_NAME"),
                "\",\"version\":\"",
                env!("CARGO_PKG_VERSION"),
                "\",\"abi\":\"1.0.0\",\"apiRev\":13,\"hostRevMin\":13,\"frames\":[1],\"capabilities\":239,\"panic\":\"",
                if cfg!(panic = "unwind") { "unwind" } else { "abort" },
                "\",\"rustc\":\"",
                $crate::export::RUSTC,
                "\",\"target\":\"",
                $crate::export::TARGET,
                "\"}",
            ]);
        }
    };
}
