//! A recorded job: the question, and the reply to each of its reads. Replays bit for bit, without a network.

use std::path::Path;

use portolan_abi::root::PluginRef;
use portolan_fixtures::{JobRecorder, ReadKey, RecordedJob};
use serde::{Deserialize, Serialize};

use super::{FixtureError, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use crate::export::{Exported, module};
use crate::settings::Settings;

/// A recorded job, as a JSON file keeps it: one of [`Fixture::record`], or of `portolan plugin ask --record`.
///
/// ```
/// use portolan_plugin_api::export::Exported;
/// use portolan_plugin_api::testing::{Fixture, FixtureError};
///
/// /// Replays a job that `portolan plugin ask --record` wrote.
/// fn replays<P: Exported>() -> Result<(), FixtureError> {
///     let fixture = Fixture::load("fixtures/acme-polygon.json")?;
///     let outcome = fixture.replay::<P>(fixture.settings()?)?;
///     assert_eq!(outcome.claimables().len(), 1);
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fixture(RecordedJob);

impl Fixture {
    /// Runs a job against `replies` and records every reply.
    pub fn record<P: Exported>(test: &JobTest, replies: impl Replies) -> (Outcome, Self) {
        Self::record_in(module::<P>(), test, replies)
    }

    /// The same with a plugin that was loaded from its dylib.
    pub fn record_in(plugin: PluginRef, test: &JobTest, mut replies: impl Replies) -> (Outcome, Self) {
        let JobTest { start, settings, facts, .. } = test;
        let mut recorder = JobRecorder::new(start, &if settings.is_default() { Vec::new() } else { settings.encode() });
        facts.iter().for_each(|(list, entries)| recorder.facts(list, entries));
        let outcome = test.run_in(plugin, |request: &ReadRequest| {
            let result = replies.reply(request);
            let (status, reply) = result.parts();
            recorder.reply(&key(request), status, reply);
            result
        });
        (outcome, Self(recorder.finish()))
    }

    /// Reads a fixture's file.
    ///
    /// # Errors
    /// [`FixtureError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FixtureError> {
        RecordedJob::load(path).map(Self)
    }

    /// Writes a fixture's file.
    ///
    /// # Errors
    /// [`FixtureError`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FixtureError> {
        self.0.save(path)
    }

    /// The settings that the job was recorded with.
    ///
    /// # Errors
    /// [`FixtureError::Value`].
    pub fn settings(&self) -> Result<Settings, FixtureError> {
        let bytes = self.0.settings()?;
        if bytes.is_empty() {
            return Ok(Settings::default());
        }
        let text = || alloy::primitives::hex::encode_prefixed(&bytes);
        Settings::decode(&bytes).map_err(|_| FixtureError::Value { what: "settings", text: text() })
    }

    /// Replays the recorded job with these settings; a read that was not recorded finds no endpoint.
    ///
    /// # Errors
    /// [`FixtureError::Value`].
    pub fn replay<P: Exported>(&self, settings: Settings) -> Result<Outcome, FixtureError> {
        self.replay_in(module::<P>(), settings)
    }

    /// The same with a plugin that was loaded from its dylib.
    ///
    /// # Errors
    /// [`FixtureError::Value`].
    pub fn replay_in(&self, plugin: PluginRef, settings: Settings) -> Result<Outcome, FixtureError> {
        let (start, facts, known) = (self.0.start()?, self.0.facts()?, self.0.replies()?);
        let test = JobTest::recorded(start, settings, facts);
        let recorded = |request: &ReadRequest| {
            let (status, reply) = known.get(&key(request))?;
            ReadResult::new(*status, reply.clone())
        };
        Ok(test.run_in(plugin, |request: &ReadRequest| recorded(request).unwrap_or(ReadResult::Unavailable)))
    }
}

fn key(request: &ReadRequest) -> ReadKey {
    let ReadRequest { network, kind, mode, gas_cap, to, from, ref data, .. } = *request;
    ReadKey { network, kind, mode, gas_cap, to, from, data: data.clone() }
}
