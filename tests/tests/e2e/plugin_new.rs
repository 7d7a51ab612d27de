//! `portolan plugin new`: a project of each kind passes its own tests as it was written, and a gateway that requires
//! signatures serves what it builds.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use minisign::KeyPair;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::wait;
use saphyr::{LoadableYamlNode as _, Yaml};

/// For a gateway to take a build, on a busy machine too.
const SOON: Duration = Duration::from_secs(20);
/// The folder of files that belong to every project.
const COMMON: &str = "common";

/// A project that the program wrote.
struct Project {
    name: String,
    folder: PathBuf,
}

/// The folders that templates are made of.
fn kinds() -> Vec<String> {
    let folders = fs::read_dir(build::workspace().join("examples/plugins")).unwrap().map(|entry| entry.unwrap());
    let folders = folders.filter(|entry| entry.file_type().unwrap().is_dir());
    let mut kinds: Vec<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    kinds.retain(|kind| kind != COMMON);
    kinds.sort();
    kinds
}

fn plugin_new(place: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(build::built().unwrap().host());
    command.args(["plugin", "new"]).args(arguments).current_dir(place).env_clear().output().unwrap()
}

impl Project {
    fn create(place: &Path, kind: &str) -> Self {
        let (name, sdk) = (format!("acme-{kind}"), build::workspace().to_str().unwrap());
        let output = plugin_new(place, &[&name, "--kind", kind, "--sdk", sdk]);
        let (stdout, stderr) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{kind}");
        let next =
            format!("  cd {name}\n  cargo test\n  cargo build --release\n  portolan plugin ask target/release/lib");
        assert!(stdout.contains(&next), "{stdout}");
        Self { folder: place.join(&name), name }
    }

    /// Runs cargo as the project's README and workflow do; a warning is a fault.
    fn cargo(&self, arguments: &[&str]) -> String {
        let printed = build::cargo_of_project(&self.folder, arguments).unwrap();
        assert!(!printed.contains("warning: "), "{}: {printed}", self.name);
        printed
    }

    fn dylib(&self) -> String {
        format!("lib{}.so", self.name.replace('-', "_"))
    }

    /// Returns the dylib, and its manifest as the project's script writes it.
    fn built(&self) -> (Vec<u8>, String) {
        self.cargo(&["build", "--locked"]);
        let file = self.folder.join(self.dylib());
        fs::copy(build::target_dir().unwrap().join("debug").join(self.dylib()), &file).unwrap();
        let mut script = Command::new("sh");
        let output = script.arg("manifest.sh").arg(self.dylib()).current_dir(&self.folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (fs::read(&file).unwrap(), fs::read_to_string(file.with_extension("manifest")).unwrap())
    }

    /// Checks that the workflow is YAML with jobs whose steps are actions or scripts that a shell can read.
    fn check_workflow(&self) {
        let text = fs::read_to_string(self.folder.join(".github/workflows/ci.yml")).unwrap();
        let documents = Yaml::load_from_str(&text).unwrap();
        let [workflow] = documents.as_slice() else { panic!("{} documents", documents.len()) };
        let rows = workflow["jobs"]["build"]["strategy"]["matrix"]["include"].as_vec().unwrap();
        let architectures: Vec<_> = rows.iter().map(|row| row["architecture"].as_str().unwrap()).collect();
        assert_eq!(architectures, ["x86_64", "aarch64"]);
        let mut scripts = String::new();
        for (job, of) in workflow["jobs"].as_mapping().unwrap() {
            for step in of["steps"].as_vec().unwrap() {
                match (step.as_mapping_get("uses"), step.as_mapping_get("run")) {
                    (Some(action), None) => assert!(action.as_str().unwrap().contains("@v"), "{job:?}: {action:?}"),
                    (None, Some(script)) => {
                        let script = script.as_str().unwrap();
                        let output = Command::new("bash").args(["-n", "-c", script]).output().unwrap();
                        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
                        scripts += script;
                        scripts.push('\n');
                    }
                    _ => panic!("{job:?} has a step without `uses` or `run`: {step:?}"),
                }
            }
        }
        let manifest = format!("sh manifest.sh target/release/{}\n", self.dylib());
        for command in ["cargo test --locked\n", "cargo build --release --locked\n", &manifest, "minisign -S -s "] {
            assert!(scripts.contains(command), "{command}: {scripts}");
        }
    }
}

/// Waits until the plugin is in force, signed by the author's key.
fn serves(gateway: &Gateway, plugin: &str) {
    let look = || {
        let rows = gateway.plugins()?;
        let row = rows.iter().find(|row| row.text_at("plugin").is_ok_and(|name| name == plugin));
        let row = row.with_context(|| format!("no row of {plugin}"))?;
        ensure!(row.text_at("state")? == "active" && row.text_at("signature/signedBy")? == "author", "{row}");
        Ok::<_, anyhow::Error>(())
    };
    wait::until(plugin, SOON, look).with_context(|| gateway.log()).unwrap();
}

fn rows(gateway: &Gateway, path: &str) -> Vec<Json> {
    let response = gateway.get(path).unwrap();
    assert_eq!((response.status.as_u16(), response.header("portolan-partial")), (200, None), "{}", response.body);
    response.json().unwrap().at("items").unwrap().items().unwrap().to_vec()
}

#[test]
fn a_project_of_each_kind_passes_its_tests_and_is_served_with_its_signature() {
    let chain = Chain::start("optimism").unwrap();
    let account = &chain.expected["accounts"]["farmer"];
    let (stake, earned) = (&account["farming"][0], &account["claimables"][0]);
    let (farmer, farm) = (account["address"].as_str().unwrap(), stake["contract"].as_str().unwrap());
    let key = KeyPair::generate_unencrypted_keypair().unwrap();
    let trust = format!(
        "[signatures]\nmode = \"require\"\n[signatures.keys.author]\nkey = \"{}\"\nslugs = [\"*\"]\n",
        key.pk.to_base64()
    );
    // The shipped contract is on no chain of the tests.
    let elsewhere = |plugin: &str, key: &str| {
        format!("[[deployment]]\nprotocol = \"{plugin}\"\nnetwork = \"optimism\"\n{key} = {farm:?}\n")
    };
    let gateway = Setup::default()
        .rpc("optimism", &chain.url)
        .config(&trust)
        .settings("acme-farm", &elsewhere("acme-farm", "staking"))
        .start()
        .unwrap();
    let place = tempfile::tempdir().unwrap();
    for kind in kinds() {
        let project = Project::create(place.path(), &kind);
        project.check_workflow();
        let printed = project.cargo(&["test", "--locked"]);
        assert!(printed.contains("test result: ok. ") && !printed.contains("ok. 0 passed"), "{printed}");
        let (dylib, manifest) = project.built();
        let signature = minisign::sign(None, &key.sk, Cursor::new(&manifest), None, None).unwrap().into_string();
        let beside = Path::new(&project.dylib()).with_extension("manifest").to_str().unwrap().to_owned();
        gateway.drop_in(&beside, manifest.as_bytes()).unwrap();
        gateway.drop_in(&format!("{beside}.minisig"), signature.as_bytes()).unwrap();
        gateway.drop_in(&project.dylib(), &dylib).unwrap();
        serves(&gateway, &project.name);
    }
    // The farm of the arithmetic, by a row of the operator's.
    let [held] = &rows(&gateway, &format!("/acme-farm/farming/{farmer}/positions?detail=full"))[..] else {
        panic!("not one stake")
    };
    assert_eq!(held.text_at("amountRaw").unwrap(), stake["amountRaw"].as_str().unwrap(), "{held}");
    let [reward] = &rows(&gateway, &format!("/acme-farm/{farmer}/claimables?detail=full"))[..] else {
        panic!("not one reward")
    };
    let (amount, simulated) = (reward.text_at("amountRaw").unwrap(), reward.text_at("simulated").unwrap());
    assert_eq!((amount, simulated), (earned["amountRaw"].as_str().unwrap(), "paid"), "{reward}");
}

#[test]
fn what_cannot_be_made_is_one_line_and_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("there")).unwrap();
    let cases: [(&[&str], &str); 5] = [
        (&["there"], "portolan: there exists already\n"),
        (&["Acme"], "\"Acme\" is not kebab-case"),
        (&["match"], "it is a word of Rust"),
        (&["acme", "--kind", "castle"], "'castle'"),
        (&["acme", "--sdk", "there"], "there is not a checkout of Portolan"),
    ];
    for (arguments, reason) in cases {
        let output = plugin_new(place.path(), arguments);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), line.lines().count(), output.stdout.len()), (Some(2), 1, 0), "{line}");
        assert!(line.contains(reason), "{arguments:?}: {line}");
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}
