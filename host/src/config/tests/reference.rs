//! The reference of settings, `docs/settings.md`, and the example file agree with the table.
//!
//! `PORTOLAN_WRITE_TABLES=1 cargo test -p portolan --lib reference` writes both anew.

use std::collections::BTreeSet;

use super::super::form::{Absent, FileValue, Setting};
use super::super::layers::variable;
use super::super::settings;
use super::{of_file, refusal};
use crate::reference::{assert_generated, assert_written, read};

/// A row of the table of settings, as operators see it.
pub(in crate::config) struct Row {
    key: &'static str,
    kind: &'static str,
    bounds: String,
    default: Option<String>,
    example: Option<&'static str>,
    flag: Option<&'static str>,
    has_variable: bool,
    purpose: &'static str,
}

/// How the reference shows values of one type.
pub(in crate::config) trait Shown {
    const KIND: &str;

    fn shown(&self) -> String;
}

impl Shown for u64 {
    const KIND: &str = "whole number";

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Shown for bool {
    const KIND: &str = "boolean";

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Shown for String {
    const KIND: &str = "text";

    fn shown(&self) -> String {
        format!("\"{self}\"")
    }
}

impl Shown for Vec<String> {
    const KIND: &str = "list of texts";

    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

impl Row {
    pub(in crate::config) fn new<W: FileValue + Shown, V>(
        key: &'static str,
        setting: &Setting<W, V>,
        purpose: &'static str,
    ) -> Self {
        let default = match &setting.absent {
            Absent::Default(default) => Some(default.shown()),
            Absent::Nothing(_) => None,
        };
        let bounds = setting.form.bounds.clone();
        let (flag, has_variable) = (setting.flag.map(|(name, _)| name), setting.has_variable);
        Self { key, kind: W::KIND, bounds, default, example: None, flag, has_variable, purpose }
    }

    pub(in crate::config) fn is(self, bounds: &str) -> Self {
        Self { bounds: bounds.to_owned(), ..self }
    }

    pub(in crate::config) fn like(self, example: &'static str) -> Self {
        Self { example: Some(example), ..self }
    }

    /// Returns the row of the reference.
    fn cells(&self) -> String {
        let code = |text: &str| format!("`{text}`");
        let cells = [
            code(self.key),
            self.kind.to_owned(),
            self.bounds.clone(),
            self.default.as_deref().map_or_else(String::new, code),
            if self.has_variable { code(&variable(self.key)) } else { String::new() },
            self.flag.map_or_else(String::new, code),
            self.purpose.to_owned(),
        ];
        format!("| {} |\n", cells.join(" | "))
    }

    /// Returns the line of the example, commented out if there is no default.
    fn line(&self) -> String {
        let name = self.key.rsplit('.').next().unwrap();
        let value = self.default.as_deref().or(self.example).unwrap_or_else(|| panic!("{}: no example", self.key));
        let comment = if self.default.is_some() { "" } else { "# " };
        format!("{:<38} # {}", format!("{comment}{name} = {value}"), self.purpose)
    }
}

const HEAD: &str = "| key | type | bounds | default | variable | flag | purpose |\n|---|---|---|---|---|---|---|\n";

#[test]
fn the_reference_has_each_setting() {
    let table: String = settings::rows().iter().map(Row::cells).collect();
    assert_generated("docs/settings.md", "settings", &[HEAD, &table].concat());
}

#[test]
fn the_example_has_each_setting_with_its_default_and_purpose() {
    let path = "../examples/portolan.toml";
    let (rows, mut found) = (settings::rows(), Vec::new());
    let (mut section, mut text) = (String::new(), String::new());
    for line in read(path).lines() {
        let bare = line.strip_prefix("# ").unwrap_or(line);
        if let Some((name, _)) = bare.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            section = format!("{}.", name.trim_start_matches('['));
        }
        let key = bare.split_once(" = ").map(|(name, _)| format!("{section}{name}"));
        let row = rows.iter().find(|row| key.as_deref() == Some(row.key));
        found.extend(row.map(|row| row.key));
        text += &row.map_or_else(|| line.to_owned(), Row::line);
        text.push('\n');
    }
    let missing: Vec<_> = rows.iter().map(|row| row.key).filter(|key| !found.contains(key)).collect();
    assert!(missing.is_empty() && found.len() == rows.len(), "{missing:?} need a line in {path}, each key one");
    assert_written(path, &text);
    assert!(of_file(&text).gateway.networks.named("lisk").is_some());
}

#[test]
fn the_reference_has_each_key_of_a_table() {
    let page = read("docs/settings.md");
    let keys: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    for (table, prefix) in [
        ("[networks.x]", "networks.<slug>."),
        ("[plugins.x]", "plugins.<plugin>."),
        ("[plugins.limits.x]", "plugins.limits.<plugin>."),
        ("[signatures.keys.x]", "signatures.keys.<name>."),
        ("[prices]", "prices."),
        ("[[prices.feeds]]", "prices.feeds."),
        ("[prices.http]", "prices.http."),
    ] {
        let refusal = refusal(&format!("{table}\nno_such_key = 1"));
        let (_, expected) = refusal.split_once(", expected ").unwrap();
        let expected: BTreeSet<&str> = expected.split('`').skip(1).step_by(2).collect();
        let names = keys.iter().filter_map(|key| key.strip_prefix(prefix)?.split('.').next());
        assert_eq!(names.collect::<BTreeSet<_>>(), expected, "{table}");
    }
}
