//! `portolan plugin new`: a project of one's own, from a template.
//!
//! A template is a folder of `examples/plugins`: a project that builds where it stands, in which the plugin is called
//! `acme`. Invariant: nothing is written before name, folder and SDK are known to be sound.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use portolan_plugins::is_kebab_case;
use portolan_validation::{FILE_NAME, RESERVED_WORDS};

use crate::cli::NewPluginFlags;
use crate::plugin_templates::{COMMON, TemplateFiles, files};

/// The plugin's name in the templates: in kebab-case and snake case, as a type, and as a constant.
const FORMS: [&str; 3] = ["acme", "Acme", "ACME"];
const MANIFEST: &str = "Cargo.toml";
const LOCK: &str = "Cargo.lock";
const README: &str = "README.md";
/// The root of the checkout, as the manifests of the templates name it.
const CHECKOUT: &str = "../../..";
/// The SDK in a checkout.
const SDK: &str = "plugin-api/Cargo.toml";

/// The first words of the commands that come next. The template's README has each in a line of its own.
const NEXT_COMMANDS: [&str; 3] = ["cargo test", "cargo build", "portolan plugin ask"];

/// Words that no package may be called, because they are Rust's.
const RUST_WORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];
/// Crates that come with the compiler.
const RUST_CRATES: [&str; 5] = ["alloc", "core", "proc-macro", "std", "test"];

/// Why no project was made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NewPluginError {
    #[error(
        "{0:?} is not kebab-case, as the name of a plugin must be: at most 64 lower-case letters and digits, with single \
         hyphens between words, beginning with a letter"
    )]
    NotKebabCase(String),
    #[error("{name:?} cannot be the name of a plugin, because it is {what}; choose another, like {name}-plugin")]
    Clash { name: String, what: &'static str },
    #[error("{0} exists already")]
    Exists(PathBuf),
    #[error("--sdk: {0} is not a checkout of Portolan: it has no {SDK}")]
    NoSdk(PathBuf),
    #[error("--sdk: {0} is not UTF-8, as the paths of a Cargo.toml must be")]
    NotUtf8(PathBuf),
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: io::Error },
}

impl NewPluginError {
    /// Returns true for a command that cannot be carried out as it stands.
    pub(crate) fn is_misuse(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }
}

/// Writes the project to the folder of the plugin's name in `place`, and returns what to say about it.
pub(crate) fn run(flags: &NewPluginFlags, place: &Path) -> Result<String, NewPluginError> {
    let name = PluginName::new(&flags.name, &flags.kind)?;
    let folder = place.join(&flags.name);
    if folder.symlink_metadata().is_ok() {
        return Err(NewPluginError::Exists(flags.name.clone().into()));
    }
    let sdk = flags.sdk.as_deref().map(sdk_root).transpose()?;
    let project = project(&name, &flags.kind, sdk.as_deref());
    for (path, text) in &project {
        write(&folder.join(path), text)?;
    }
    Ok(report(&name, &flags.kind, &project))
}

/// Returns the files of a project by their paths, with the texts to write.
fn project(name: &PluginName, kind: &str, sdk: Option<&str>) -> Vec<(String, String)> {
    let file = |(path, text): &(&str, &str)| {
        let text = name.put_into(text);
        let text = if *path == MANIFEST { manifest(&text, sdk) } else { text };
        (name.put_into(path), text)
    };
    files(COMMON).iter().chain(files(kind)).map(file).collect()
}

/// Returns the manifest with its dependencies by version, or by their paths in a checkout.
fn manifest(text: &str, sdk: Option<&str>) -> String {
    let start = format!(", path = \"{CHECKOUT}");
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(&start) {
        let (path, after) = after.split_once('"').unwrap_or((after, ""));
        written.push_str(before);
        if let Some(sdk) = sdk {
            written.push_str(", path = ");
            written.push_str(&toml::Value::String(format!("{sdk}{path}")).to_string());
        }
        rest = after;
    }
    written + rest
}

fn sdk_root(path: &Path) -> Result<String, NewPluginError> {
    let root = path.canonicalize().ok().filter(|root| root.join(SDK).is_file());
    let root = root.ok_or_else(|| NewPluginError::NoSdk(path.to_owned()))?;
    root.to_str().map(str::to_owned).ok_or(NewPluginError::NotUtf8(root))
}

fn write(path: &Path, text: &str) -> Result<(), NewPluginError> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    written.map_err(|error| NewPluginError::Io { path: path.to_owned(), error })
}

fn report(name: &PluginName, kind: &str, project: &[(String, String)]) -> String {
    let kebab = &name.kebab;
    let readme = project.iter().find(|(path, _)| path == README).map_or("", |(_, text)| text);
    let commands = NEXT_COMMANDS.iter().filter_map(|command| readme.lines().find(|line| line.starts_with(command)));
    let next: String = commands.map(|command| format!("  {command}\n")).collect();
    format!(
        "{kebab}: a plugin of the kind `{kind}`, in {} files. {kebab}/{README} has the way from here to a release. \
         Next:\n\n  cd {kebab}\n{next}",
        project.len()
    )
}

/// A plugin's name in all forms that a project needs.
#[derive(Debug)]
struct PluginName {
    kebab: String,
    snake: String,
    type_name: String,
    constant: String,
}

impl PluginName {
    /// Makes the name of a plugin of a kind.
    fn new(name: &str, kind: &str) -> Result<Self, NewPluginError> {
        if !is_kebab_case(name) {
            return Err(NewPluginError::NotKebabCase(name.to_owned()));
        }
        let snake = name.replace('-', "_");
        let type_name = name.split('-').map(capitalized).collect();
        let name = Self { kebab: name.to_owned(), constant: snake.to_uppercase(), snake, type_name };
        match name.clash(files(kind)) {
            Some(what) => Err(NewPluginError::Clash { name: name.kebab, what }),
            None => Ok(name),
        }
    }

    /// Returns what else has this name.
    fn clash(&self, template: TemplateFiles) -> Option<&'static str> {
        let in_file = |is_meant: fn(&str) -> bool, has: &dyn Fn(&str) -> bool| {
            template.iter().any(|(path, text)| is_meant(path) && has(text))
        };
        let is_package = |text: &str| text.lines().any(|line| line == format!("name = \"{}\"", self.kebab));
        let is_identifier = |text: &str| {
            let words: BTreeSet<_> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
            words.contains(self.type_name.as_str()) || words.contains(self.constant.as_str())
        };
        match self.kebab.as_str() {
            word if RUST_WORDS.contains(&word) => Some("a word of Rust"),
            word if RUST_CRATES.contains(&word) => Some("a crate of Rust's own"),
            word if RESERVED_WORDS.contains(&word) => Some("a word of the gateway's paths"),
            word if FILE_NAME.strip_suffix(".toml") == Some(word) => Some("the name of an operator's file"),
            word if FORMS.contains(&word) => None,
            _ if in_file(|path| path == LOCK, &is_package) => Some("a crate that the plugin depends on"),
            _ if in_file(|path| path.ends_with(".rs"), &is_identifier) => Some("a name in the code of the template"),
            _ => None,
        }
    }

    /// Returns a text or path of a template with this name in the place of the template's.
    fn put_into(&self, template: &str) -> String {
        let mut written = String::with_capacity(template.len());
        let mut rest = template;
        let first = |text: &str| FORMS.iter().filter_map(|form| Some((text.find(form)?, *form))).min();
        while let Some((at, form)) = first(rest) {
            let (before, after) = (&rest[..at], &rest[at + form.len()..]);
            let is_before = ["_", "lib"].iter().any(|end| before.ends_with(end));
            let is_identifier = is_before || ["_", "::"].iter().any(|start| after.starts_with(start));
            written.push_str(before);
            written.push_str(match form {
                "Acme" => &self.type_name,
                "ACME" => &self.constant,
                _ if is_identifier => &self.snake,
                _ => &self.kebab,
            });
            rest = after;
        }
        written + rest
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin_templates::kinds;

    fn flags(name: &str, kind: &str, sdk: Option<&Path>) -> NewPluginFlags {
        NewPluginFlags { name: name.to_owned(), kind: kind.to_owned(), sdk: sdk.map(Path::to_owned) }
    }

    fn checkout() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
    }

    #[test]
    fn every_kind_says_its_next_commands_and_leaves_no_name_of_the_template() {
        let place = tempfile::tempdir().unwrap();
        for kind in kinds() {
            let name = format!("blue-{kind}");
            let report = run(&flags(&name, kind, None), place.path()).unwrap();
            let lines: Vec<&str> = report.lines().collect();
            let [.., cd, test, build, ask] = lines.as_slice() else { panic!("{report}") };
            let library = format!("target/release/libblue_{kind}.so");
            assert_eq!(*cd, format!("  cd {name}"));
            assert_eq!((*test, *build), ("  cargo test", "  cargo build --release"), "{kind}");
            assert!(ask.starts_with(&format!("  portolan plugin ask {library} ")) && ask.contains(" --rpc "), "{ask}");
            for (path, text) in project(&PluginName::new(&name, kind).unwrap(), kind, None) {
                let written = fs::read_to_string(place.path().join(&name).join(&path)).unwrap();
                assert_eq!(written, text, "{path}");
                let foreign = FORMS.iter().find(|form| path.contains(**form) || text.contains(**form));
                assert_eq!(foreign, None, "{kind}: {path}");
            }
        }
    }

    #[test]
    fn dependencies_have_a_version_and_with_a_checkout_its_path() {
        for kind in kinds() {
            let name = PluginName::new("blue", kind).unwrap();
            for sdk in [None, Some("/check out")] {
                let files = project(&name, kind, sdk);
                let text = &files.iter().find(|(path, _)| path == MANIFEST).unwrap().1;
                let manifest: toml::Table = text.parse().unwrap();
                assert_eq!(manifest["package"]["name"].as_str(), Some("blue"));
                let mut seen = 0;
                for table in ["dependencies", "dev-dependencies"] {
                    for (dependency, source) in manifest[table].as_table().unwrap() {
                        seen += 1;
                        assert!(source["version"].is_str(), "{kind}: {dependency} = {source}");
                        let path = source.get("path").map(|path| path.as_str().unwrap().to_owned());
                        let folder = path.as_deref().map(|path| path.strip_prefix("/check out/").unwrap());
                        assert_eq!(folder.is_some(), sdk.is_some(), "{kind}: {dependency} = {source}");
                        let is_there = folder.is_none_or(|folder| checkout().join(folder).join(MANIFEST).is_file());
                        assert!(is_there, "{kind}: {dependency} = {source}");
                    }
                }
                assert!(seen > 1, "{kind}: {text}");
            }
        }
    }

    #[test]
    fn a_name_stands_in_each_form_where_it_belongs() {
        let name = PluginName::new("acme-v2-farm", "farm").unwrap();
        let cases = [
            ("name = \"acme\"", "name = \"acme-v2-farm\""),
            ("libacme.so", "libacme_v2_farm.so"),
            ("acme_rows, of_acme, acme::Acme", "acme_v2_farm_rows, of_acme_v2_farm, acme_v2_farm::AcmeV2Farm"),
            ("struct AcmeRow; // ACME", "struct AcmeV2FarmRow; // ACME_V2_FARM"),
            ("protocols/acme.toml acme", "protocols/acme-v2-farm.toml acme-v2-farm"),
            ("none", "none"),
        ];
        for (template, written) in cases {
            assert_eq!(name.put_into(template), written);
        }
    }

    #[test]
    fn what_cannot_be_made_is_an_error_and_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("there")).unwrap();
        let nowhere = place.path().join("nowhere");
        let cases = [
            ("Acme", None, "\"Acme\" is not kebab-case"),
            ("acme_farm", None, "is not kebab-case"),
            ("acme--farm", None, "is not kebab-case"),
            ("2acme", None, "is not kebab-case"),
            ("../acme", None, "is not kebab-case"),
            ("", None, "\"\" is not kebab-case"),
            ("match", None, "because it is a word of Rust; choose another, like match-plugin"),
            ("proc-macro", None, "because it is a crate of Rust's own"),
            ("portolan-plugin-api", None, "because it is a crate that the plugin depends on"),
            ("serde", None, "because it is a crate that the plugin depends on"),
            ("positions", None, "because it is a word of the gateway's paths"),
            ("claim-functions", None, "because it is the name of an operator's file"),
            ("position", None, "because it is a name in the code of the template"),
            ("rows", None, "because it is a name in the code of the template"),
            ("there", None, "there exists already"),
            ("blue", Some(nowhere.as_path()), "is not a checkout of Portolan: it has no plugin-api/Cargo.toml"),
        ];
        for (name, sdk, reason) in cases {
            let error = run(&flags(name, "farm", sdk), place.path()).unwrap_err();
            assert!(error.is_misuse() && error.to_string().contains(reason), "{name}: {error}");
        }
        let found: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(found, ["there"]);
        assert_eq!(fs::read_dir(place.path().join("there")).unwrap().count(), 0);
        let within_file = place.path().join("file");
        fs::write(&within_file, "").unwrap();
        let error = run(&flags("blue", "farm", None), &within_file).unwrap_err();
        assert!(!error.is_misuse(), "{error}");
    }
}
