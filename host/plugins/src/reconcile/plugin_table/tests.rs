//! The table of plugins, driven by hand with the outcomes of scans, examinations and builds.

mod slugs;

use portolan_abi::Question;
use portolan_abi::map::{Catalogue, Deployment};
use portolan_base::files::TrustedOwners;
use portolan_base::net::off_chain::HostGrants;
use portolan_base::network::Networks;

use super::*;
use crate::files::manifest::Manifest;
use crate::files::settings;
use crate::limits::{DEFAULT, Limits, NewCapabilities};
use crate::load::examine::Refusal;
use crate::load::runner::RunFailure;
use crate::reconcile::status::PluginStatus;
use crate::testing::ScriptedPlugin;
use crate::trust::breaker::Breakers;

fn library(plugin: &str, digest: u8) -> Arc<Library> {
    let json = r#"{"plugin":"?","version":"1","abi":"1.0.0","apiRev":5,"frames":[1],"panic":"unwind"}"#;
    let manifest = Manifest::parse(&json.replace('?', plugin)).unwrap();
    let limits = Limits { resume_ms: 1, job_ms: 1, ..DEFAULT };
    let (digest, grants) = (Digest::of_test(digest), HostGrants::default());
    let runner = Arc::new(ScriptedPlugin::new("none", Catalogue::default()));
    let (breakers, signature, leave_out) = (Breakers::of_nobody(), Arc::default(), Arc::default());
    Arc::new(Library { digest, manifest, limits, grants, leave_out, runner, sandbox: None, breakers, signature })
}

/// The table, driven as by its reconciler.
struct Driven {
    plugin_table: PluginTable,
    now: Instant,
}

impl Driven {
    fn new() -> Self {
        Self { plugin_table: PluginTable::default(), now: Instant::now() }
    }

    /// Runs two scans that agree on these files; returns the files to examine.
    fn on_scan(&mut self, files: &[(&str, u64)]) -> Vec<String> {
        let stamped = files.iter().map(|(path, bytes)| (PathBuf::from(path), Some(FileFingerprint::of_test(*bytes))));
        let stable = StableFiles { files: stamped.collect() };
        let examine = self.plugin_table.on_scan(&stable, self.now);
        examine.into_iter().map(|(path, _)| path.display().to_string()).collect()
    }

    fn taken(&mut self, path: &str, library: &Arc<Library>) {
        self.plugin_table.on_examined(Path::new(path), Examined::Loaded(Arc::clone(library)), self.now);
    }

    fn refused(&mut self, path: &str, reason: &str, retry_after: Option<Duration>) {
        let refusal = Refusal { reason: reason.into(), retry_after, ..Refusal::default() };
        self.plugin_table.on_examined(Path::new(path), Examined::Refused(Arc::new(refusal)), self.now);
    }

    fn wanted(&mut self) -> Vec<Build> {
        self.plugin_table.next_builds(self.now)
    }

    /// Puts a build of a plugin into the folder alone, and serves the protocol of the plugin's name.
    fn install(&mut self, path: &str, plugin: &str, digest: u8) {
        self.on_scan(&[(path, u64::from(digest))]);
        self.taken(path, &library(plugin, digest));
        self.serve(&[plugin]);
    }

    /// The table after a restart.
    fn restarted(&self) -> Self {
        let text = serde_json::to_string(&*self.plugin_table.known_good).unwrap();
        let known_good: KnownGood = serde_json::from_str(&text).unwrap();
        Self { plugin_table: PluginTable::new(self.plugin_table.policy.clone(), known_good), now: self.now }
    }

    /// Finishes the one build that is wanted now, with an instance of these slugs.
    fn serve(&mut self, slugs: &[&str]) {
        let wanted = self.wanted().pop().expect("a build is wanted");
        self.end(&wanted, Ok(slugs));
    }

    /// Finishes it with one deployment of one slug that answers these questions.
    fn serve_deployed(&mut self, slug: &str, questions: &[Question]) {
        let wanted = self.wanted().pop().expect("a build is wanted");
        let mut instance = Instance::of_test(&wanted.library, &[slug]);
        let (protocol, questions) = (slug.to_owned(), questions.to_vec());
        instance.catalogue.deployments = vec![Deployment { protocol, chain_id: 1, questions, ..Deployment::default() }];
        self.end_with(&wanted, Ok(instance));
    }

    fn end(&mut self, wanted: &Build, outcome: Result<&[&str], BuildError>) {
        self.end_with(wanted, outcome.map(|slugs| Instance::of_test(&wanted.library, slugs)));
    }

    fn end_with(&mut self, wanted: &Build, outcome: Result<Instance, BuildError>) {
        let built = outcome.map(|instance| Built::New {
            instance: Arc::new(instance),
            key: InstanceKey {
                digest: wanted.library.digest,
                signature: Arc::default(),
                settings: None,
                functions: None,
            },
        });
        self.plugin_table.on_built(&wanted.plugin, wanted.key.clone(), built, self.now);
    }

    /// `plugin file state reason` of each row.
    fn rows(&mut self) -> Vec<String> {
        let (_, board) = self.plugin_table.publish();
        let row = |row: PluginStatus| {
            let reason = row.reason.unwrap_or_default();
            format!("{} {} {} {reason}", row.plugin, row.file, row.state).trim().to_owned()
        };
        board.rows().into_iter().map(row).collect()
    }

    /// The plugin that serves a slug.
    fn serving(&mut self, slug: &str) -> Option<String> {
        self.plugin_table
            .publish()
            .0
            .served(slug)
            .map(|served| served.instance.label.split('@').next().unwrap_or_default().to_owned())
    }

    fn generation(&mut self) -> u64 {
        self.plugin_table.publish().0.generation
    }
}

#[test]
fn a_file_is_examined_when_it_looks_otherwise_and_only_then() {
    let mut it = Driven::new();
    assert_eq!(it.on_scan(&[("a.so", 1), ("a.toml", 1)]), ["a.so"]);
    assert!(it.on_scan(&[("a.so", 2)]).is_empty(), "the examination under way ends first");
    it.plugin_table.on_examined(Path::new("a.so"), Examined::Changed, it.now);
    assert_eq!(it.on_scan(&[("a.so", 2)]), ["a.so"]);
    it.taken("a.so", &library("a", 1));
    assert!(it.on_scan(&[("a.so", 2)]).is_empty());
    assert_eq!(it.on_scan(&[("a.so", 3)]), ["a.so"]);
    it.refused("a.so", "disk full", Some(Duration::from_secs(5)));
    assert!(it.on_scan(&[("a.so", 3)]).is_empty());
    it.now += Duration::from_secs(5);
    assert_eq!(it.on_scan(&[("a.so", 3)]), ["a.so"]);
}

#[test]
fn what_cannot_be_loaded_leaves_the_running_one_in_force_and_shows_its_reason() {
    let mut it = Driven::new();
    it.install("a.so", "a", 1);
    assert_eq!(it.rows(), ["a a.so active"]);
    it.on_scan(&[("a.so", 2)]);
    it.refused("a.so", "truncated", None);
    assert!(it.wanted().is_empty());
    assert_eq!(it.rows(), ["a a.so active", "a.so rejected truncated"]);
    assert_eq!(it.generation(), 1);
    it.on_scan(&[("a.so", 3)]);
    assert_eq!(it.rows(), ["a a.so active", "a.so rejected truncated"], "until the new contents are examined");
}

#[test]
fn a_second_file_of_a_plugin_waits_until_the_first_is_gone() {
    let mut it = Driven::new();
    it.on_scan(&[("a1.so", 1), ("a2.so", 1)]);
    it.taken("a2.so", &library("a", 2));
    it.taken("a1.so", &library("a", 1));
    it.serve(&["a"]);
    let second = "a a2.so rejected the file a1.so holds the same plugin";
    assert_eq!(it.rows(), ["a a1.so active", second]);
    it.on_scan(&[("a2.so", 1)]);
    assert_eq!(it.wanted().len(), 1);
    assert_eq!(it.serving("a").as_deref(), Some("a"), "no gap while the other is configured");
}

#[test]
fn a_removed_plugin_is_gone_and_its_jobs_drain() {
    let mut it = Driven::new();
    it.install("a.so", "a", 1);
    let held = it.plugin_table.publish().0;
    it.on_scan(&[]);
    assert!(it.wanted().is_empty());
    assert_eq!(it.rows(), ["a a.so draining"]);
    assert_eq!(it.serving("a"), None);
    assert!(held.served("a").is_some(), "an answer under way keeps what it began with");
    drop(held);
    assert!(it.rows().is_empty());
}

#[test]
fn refused_settings_show_in_the_row_of_what_stays_in_force() {
    let mut it = Driven::new();
    it.install("a.so", "a", 1);
    it.on_scan(&[("a.so", 1), ("a.toml", 1)]);
    let wanted = it.wanted().pop().unwrap();
    let fault = settings::parse("x = 1", &Networks::new([])).unwrap_err();
    it.end(&wanted, Err(BuildError::Settings { file: "a.toml".into(), fault }));
    let reason = "a a.so active a.toml: line 1, key `x`: \
                  unknown field `x`, expected one of `shipped`, `protocol`, `deployment`";
    assert_eq!(it.rows(), [reason]);
    assert!(it.wanted().is_empty(), "not tried again until something changes");
    it.on_scan(&[("a.so", 1), ("a.toml", 2)]);
    let wanted = it.wanted().pop().unwrap();
    it.plugin_table.on_built("a", wanted.key, Ok(Built::Same), it.now);
    assert_eq!(it.rows(), ["a a.so active"]);
    assert_eq!(it.generation(), 1);
}

#[test]
fn a_plugin_whose_first_settings_are_refused_is_not_served_with_others() {
    let mut it = Driven::new();
    it.on_scan(&[("a.so", 1), ("a.toml", 1)]);
    it.taken("a.so", &library("a", 1));
    let wanted = it.wanted().pop().unwrap();
    it.end(&wanted, Err(BuildError::Shipped("no".into())));
    assert_eq!(it.rows(), ["a a.so rejected it refuses its shipped settings: no"]);
}

#[test]
fn a_new_dylib_whose_instance_is_refused_is_a_row_of_its_own() {
    let mut it = Driven::new();
    it.install("a.so", "a", 1);
    it.on_scan(&[("a.so", 2)]);
    it.taken("a.so", &library("a", 2));
    let wanted = it.wanted().pop().unwrap();
    it.end(&wanted, Err(BuildError::Run(RunFailure::Timeout)));
    let refused = "a a.so rejected configuring it: the plugin did not return in time: look for a loop without \
                   an end, or for seconds of computing between two reads";
    assert_eq!(it.rows(), ["a a.so active", refused]);
    assert!(it.wanted().is_empty());
    it.now += RETRY_AFTER;
    assert_eq!(it.wanted().len(), 1, "a plugin that did not answer gets another chance");
}

#[test]
fn what_was_built_for_settings_that_have_changed_since_is_not_taken() {
    let mut it = Driven::new();
    it.on_scan(&[("a.so", 1)]);
    it.taken("a.so", &library("a", 1));
    let outdated = it.wanted().pop().unwrap();
    it.on_scan(&[("a.so", 1), ("a.toml", 1)]);
    assert!(it.wanted().is_empty(), "one build at a time");
    it.end(&outdated, Ok(&["old"]));
    assert_eq!(it.serving("old"), None);
    it.serve(&["new"]);
    assert_eq!(it.serving("new").as_deref(), Some("a"));
}

#[test]
fn staged_copies_are_obsolete_once_nothing_holds_them() {
    let mut it = Driven::new();
    it.install("a.so", "a", 1);
    it.on_scan(&[("a.so", 2)]);
    it.taken("a.so", &library("a", 2));
    let wanted = it.wanted().pop().unwrap();
    assert!(it.plugin_table.take_obsolete().is_empty(), "the first is still in force");
    it.end(&wanted, Ok(&["a"]));
    assert!(it.plugin_table.take_obsolete().is_empty(), "the first is the build before");
    it.install("a.so", "a", 3);
    assert_eq!(it.plugin_table.take_obsolete(), [Digest::of_test(1)]);
    assert!(it.plugin_table.take_obsolete().is_empty());
}

#[test]
fn settings_that_belong_to_no_plugin_are_told() {
    let mut it = Driven::new();
    let files =
        [("libaave.so", 1), ("aave-v3.toml", 1), ("aave_v3.toml", 1), ("acme.toml", 1), ("claim-functions.toml", 1)];
    it.on_scan(&files);
    assert!(it.rows().is_empty(), "the file that is examined may be theirs");
    it.taken("libaave.so", &library("aave-v3", 1));
    it.serve(&["aave_v3"]);
    let told = [
        "aave-v3 libaave.so active",
        r#"aave_v3.toml rejected no plugin is called "aave_v3"; the settings of "aave-v3" are in aave-v3.toml"#,
        r#"acme.toml rejected no plugin is called "acme"; there are aave-v3"#,
    ];
    assert_eq!(it.rows(), told);
}

#[test]
fn a_build_that_may_do_more_waits_until_it_is_accepted_and_the_one_before_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let writers = TrustedOwners::of_process(None);
    let policy = Policy::open(folder.path(), BTreeSet::new(), NewCapabilities::Wait, writers).unwrap();
    let mut it = Driven::new();
    it.plugin_table = PluginTable::new(policy.clone(), KnownGood::default());
    let drop_in = |it: &mut Driven, digest: u8, slug: &str| {
        it.on_scan(&[("a.so", u64::from(digest))]);
        it.taken("a.so", &library("a", digest));
        it.serve_deployed(slug, &[Question::FARMING]);
    };
    drop_in(&mut it, 1, "a");
    assert_eq!(it.rows(), ["a a.so active"], "nothing was served before");
    drop_in(&mut it, 2, "b");
    let told =
        "a a.so waiting it may do what the build before may not: answers for b; `portolan plugin accept a` serves it";
    assert_eq!(it.rows(), ["a a.so active", told]);
    assert_eq!((it.serving("a").as_deref(), it.serving("b")), (Some("a"), None));
    policy.change(|decisions| decisions.accepted.extend([("a".to_owned(), Digest::of_test(2))])).unwrap();
    it.plugin_table.on_policy();
    it.serve_deployed("b", &[Question::FARMING]);
    assert_eq!((it.serving("a"), it.serving("b").as_deref()), (None, Some("a")));
    drop_in(&mut it, 3, "b");
    assert_eq!(it.rows(), ["a a.so active"], "it asks for no more than the accepted one");
}

mod known_good {
    use super::super::fallback::Fallback;
    use super::*;
    use crate::serve::unavailable::UnavailableWhy;
    use crate::trust::policy::Policy;

    impl Driven {
        /// Returns the one fallback that is wanted.
        fn fallback(&mut self) -> Fallback {
            let mut wanted = self.plugin_table.next_fallbacks();
            assert_eq!(wanted.len(), 1, "{wanted:?}");
            wanted.remove(0)
        }

        fn fall_back(&mut self, slugs: &[&str]) -> String {
            let fallback = self.fallback();
            let told = format!("{} {}: {}", fallback.plugin, fallback.good.digest, fallback.reason);
            let digest = u8::from_str_radix(&fallback.good.digest.to_string()[..2], 16).unwrap();
            let library = library(&fallback.plugin, digest);
            let key = InstanceKey {
                digest: fallback.good.digest,
                signature: Arc::default(),
                settings: fallback.good.settings.clone(),
                functions: fallback.good.functions.clone(),
            };
            let built = Built::New { instance: Arc::new(Instance::of_test(&library, slugs)), key };
            self.plugin_table.on_fallback(Path::new(""), fallback, Ok((library, Ok(built))));
            told
        }

        /// `subject why` of each.
        fn unavailable(&mut self) -> Vec<String> {
            let snapshot = self.plugin_table.publish().0;
            snapshot.unavailable.iter().map(|it| format!("{} {:?}", it.subject(), it.why)).collect()
        }

        fn quarantine(&mut self, plugin: &str, digest: u8) {
            let policy: Policy = self.plugin_table.policy.clone();
            policy.quarantine(Digest::of_test(digest), plugin, "1", "it panicked").unwrap();
            self.plugin_table.on_policy();
        }
    }

    fn digest(byte: u8) -> String {
        Digest::of_test(byte).to_string()
    }

    #[test]
    fn a_start_serves_what_was_served_where_the_file_is_bad_now() {
        let mut it = Driven::new();
        it.install("a.so", "a", 1);
        let mut it = it.restarted();
        it.on_scan(&[("a.so", 2)]);
        it.refused("a.so", "truncated", None);
        assert_eq!(it.unavailable(), ["a Rejected"], "until it is");
        assert_eq!(it.fall_back(&["a"]), format!("a {}: a.so: truncated", digest(1)));
        assert_eq!(it.serving("a").as_deref(), Some("a"));
        let told = "a a.so active the last known good one: a.so: truncated";
        assert_eq!(it.rows(), [told, "a.so rejected truncated"]);
        assert!(it.unavailable().is_empty() && it.plugin_table.next_fallbacks().is_empty());
        it.install("a.so", "a", 3);
        assert_eq!(it.rows()[0], "a a.so active");
    }

    #[test]
    fn a_start_serves_the_settings_that_were_in_force_where_they_are_bad_now() {
        let mut it = Driven::new();
        it.install("a.so", "a", 1);
        let mut it = it.restarted();
        it.on_scan(&[("a.so", 1), ("a.toml", 1)]);
        it.taken("a.so", &library("a", 1));
        let wanted = it.wanted().pop().unwrap();
        it.end(&wanted, Err(BuildError::Shipped("no".into())));
        it.fall_back(&["a"]);
        assert_eq!(it.rows(), ["a a.so active the last known good one: it refuses its shipped settings: no"]);
        assert!(it.wanted().is_empty(), "the bad settings are not tried again until they change");
        it.on_scan(&[("a.so", 1), ("a.toml", 2)]);
        it.serve(&["a"]);
        assert_eq!(it.rows()[0], "a a.so active");
    }

    #[test]
    fn a_plugin_that_was_taken_away_while_nothing_ran_is_gone() {
        let mut it = Driven::new();
        it.install("a.so", "a", 1);
        let mut it = it.restarted();
        it.on_scan(&[("b.so", 1)]);
        it.taken("b.so", &library("b", 2));
        it.serve(&["b"]);
        assert!(it.plugin_table.next_fallbacks().is_empty());
        assert!(it.unavailable().is_empty());
        assert_eq!(it.plugin_table.take_obsolete(), [Digest::of_test(1)], "its copy is needed no more");
    }

    #[test]
    fn a_build_in_quarantine_gives_way_to_the_one_before_once() {
        let mut it = Driven::new();
        it.install("a.so", "a", 1);
        it.install("a.so", "a", 2);
        it.quarantine("a", 2);
        assert!(it.wanted().is_empty());
        assert_eq!(it.serving("a").as_deref(), Some("a"), "until the one before is ready");
        assert!(it.fall_back(&["a"]).starts_with(&format!("a {}: a.so: in quarantine since ", digest(1))));
        assert_eq!(it.serving("a").as_deref(), Some("a"));
        it.quarantine("a", 1);
        assert!(it.wanted().is_empty() && it.plugin_table.next_fallbacks().is_empty(), "no way back");
        assert_eq!(it.unavailable(), ["a Quarantined"]);
        it.install("a.so", "a", 3);
        assert_eq!(it.serving("a").as_deref(), Some("a"), "another build is another matter");
    }

    #[test]
    fn a_fallback_that_was_rejected_meanwhile_is_not_served() {
        let mut it = Driven::new();
        it.install("a.so", "a", 1);
        let mut it = it.restarted();
        it.on_scan(&[("a.so", 2)]);
        it.refused("a.so", "truncated", None);
        let fallback = it.fallback();
        it.quarantine("a", 1);
        let library = library("a", 1);
        let key =
            InstanceKey { digest: Digest::of_test(1), signature: Arc::default(), settings: None, functions: None };
        let built = Built::New { instance: Arc::new(Instance::of_test(&library, &["a"])), key };
        it.plugin_table.on_fallback(Path::new(""), fallback, Ok((library, Ok(built))));
        assert_eq!(it.serving("a"), None);
    }

    #[test]
    fn a_disabled_plugin_is_told_and_comes_back_when_it_is_enabled() {
        let mut it = Driven::new();
        it.install("a.so", "a", 1);
        let policy = it.plugin_table.policy.clone();
        policy.change(|decisions| drop(decisions.disabled.insert("a".into(), "no need".into()))).unwrap();
        it.plugin_table.on_policy();
        assert!(it.wanted().is_empty() && it.plugin_table.next_fallbacks().is_empty());
        assert_eq!(it.unavailable(), ["a Disabled"]);
        assert!(it.rows().contains(&"a a.so disabled it is disabled: no need".to_owned()), "{:?}", it.rows());
        policy.change(|decisions| drop(decisions.disabled.remove("a"))).unwrap();
        it.plugin_table.on_policy();
        assert!(it.wanted().is_empty() && it.plugin_table.next_fallbacks().is_empty(), "its file is to be examined");
        assert_eq!(it.on_scan(&[("a.so", 1)]), ["a.so"], "it is examined again though it has not changed");
        it.taken("a.so", &library("a", 1));
        it.serve(&["a"]);
        assert!(it.unavailable().is_empty());
    }

    #[test]
    fn an_enabled_plugin_whose_file_is_bad_now_is_served_as_it_was() {
        let mut it = Driven::new();
        it.install("a.so", "a", 1);
        let policy = it.plugin_table.policy.clone();
        policy.change(|decisions| drop(decisions.disabled.insert("a".into(), "no need".into()))).unwrap();
        it.plugin_table.on_policy();
        assert!(it.wanted().is_empty() && it.plugin_table.next_fallbacks().is_empty());
        policy.change(|decisions| drop(decisions.disabled.remove("a"))).unwrap();
        it.plugin_table.on_policy();
        it.on_scan(&[("a.so", 2)]);
        it.refused("a.so", "truncated", None);
        it.fall_back(&["a"]);
        assert_eq!(it.rows()[0], "a a.so active the last known good one: a.so: truncated");
    }

    #[test]
    fn a_folder_that_is_emptied_keeps_and_restores_its_plugins() {
        let mut it = Driven::new();
        it.install("a.so", "a", 1);
        it.plugin_table.on_emptied();
        assert!(it.wanted().is_empty());
        assert_eq!(it.serving("a").as_deref(), Some("a"));
        let mut it = it.restarted();
        it.plugin_table.on_emptied();
        assert_eq!(it.fall_back(&["a"]), format!("a {}: the plugins folder is empty", digest(1)));
        assert!(it.wanted().is_empty());
        assert_eq!(it.serving("a").as_deref(), Some("a"));
        it.on_scan(&[]);
        assert!(it.wanted().is_empty());
        assert_eq!(it.serving("a"), None, "after the time that it has");
    }

    #[test]
    fn a_refused_plugin_that_was_never_served_is_told_by_its_name() {
        let mut it = Driven::new();
        it.on_scan(&[("libx_y.so", 1), ("b.so", 1), ("b.toml", 1)]);
        it.refused("libx_y.so", "no ELF file", None);
        it.taken("b.so", &library("b", 2));
        let wanted = it.wanted().pop().unwrap();
        it.end(&wanted, Err(BuildError::Shipped("no".into())));
        assert_eq!(it.unavailable(), ["x_y Rejected", "b Rejected"]);
        assert_eq!(it.plugin_table.publish().0.unavailable[0].why, UnavailableWhy::Rejected);
    }
}
