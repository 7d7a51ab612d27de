//! The reference of commands, `docs/reference/commands.md`, agrees with the definitions.
//!
//! `PORTOLAN_WRITE_TABLES=1 cargo test -p portolan --lib reference` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use clap::Arg;

use super::*;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/commands.md");
/// The lines around the generated part.
const BEGIN: &str = "<!-- commands: from src/cli.rs, by a test -->\n";
const END: &str = "<!-- /commands -->\n";
const HEAD: &str = "| argument or flag | meaning |\n|---|---|\n";

/// The definitions as clap completes them: with names of subcommands and usages.
fn built() -> Command {
    let mut command = shown();
    command.build();
    command
}

/// All commands, each before its subcommands.
fn all(command: &Command) -> Vec<Command> {
    let own = command.get_subcommands().filter(|own| !own.is_hide_set() && own.get_name() != "help");
    std::iter::once(command.clone()).chain(own.flat_map(all)).collect()
}

fn name(command: &Command) -> String {
    command.get_bin_name().unwrap_or(PROGRAM).to_owned()
}

/// Arguments of a command's own, and those of groups, by their heading. `--help` belongs to all.
fn arguments(command: &Command) -> (Vec<Arg>, Vec<(String, Arg)>) {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let shown = shown.filter(|arg| !matches!(arg.get_long(), Some("help" | "version")));
    let (grouped, own): (Vec<&Arg>, Vec<&Arg>) = shown.partition(|arg| arg.get_help_heading().is_some());
    let heading = |arg: &Arg| (arg.get_help_heading().unwrap_or_default().to_owned(), arg.clone());
    (own.into_iter().cloned().collect(), grouped.into_iter().map(heading).collect())
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn row(arg: &Arg) -> String {
    let value = arg.get_value_names().into_iter().flatten().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let words: Vec<String> = arg.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
    let takes_words = !words.is_empty() && arg.get_action().takes_values();
    let value = if takes_words { words.join("\\|") } else { value };
    let flags: Vec<String> = [arg.get_long()]
        .into_iter()
        .flatten()
        .chain(arg.get_visible_aliases().unwrap_or_default())
        .map(|flag| format!("`--{flag}`"))
        .collect();
    let shown = match (arg.is_positional(), arg.get_action().takes_values()) {
        (true, _) => format!("`{}`", if takes_words { value } else { value.to_uppercase() }),
        (false, true) => format!("{} `{value}`", flags.join(", ")),
        (false, false) => flags.join(", "),
    };
    let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    let default = if defaults.is_empty() || !arg.get_action().takes_values() {
        String::new()
    } else {
        format!(" [default: {}]", defaults.join(" "))
    };
    format!("| {shown} | {}{default} |\n", cell(help.trim_end_matches('.')))
}

fn reference() -> String {
    let mut text = String::new();
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for command in all(&built()).into_iter().skip(1) {
        let (own, grouped) = arguments(&command);
        let about = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string);
        let headings: BTreeSet<&String> = grouped.iter().map(|(heading, _)| heading).collect();
        let others: Vec<String> = headings
            .iter()
            .map(|heading| format!("[{heading}](#{})", heading.to_lowercase().replace(' ', "-")))
            .collect();
        let _ = write!(text, "\n## {}\n\n{}\n", name(&command), about.unwrap_or_default());
        if !own.is_empty() {
            let rows: String = own.iter().map(row).collect();
            let _ = write!(text, "\n{HEAD}{rows}");
        }
        if !others.is_empty() {
            let _ = write!(text, "\nFurther flags: {}.\n", others.join(", "));
        }
        for (heading, arg) in grouped {
            let (rows, row) = (groups.entry(heading).or_default(), row(&arg));
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    for (heading, rows) in groups {
        let _ = write!(text, "\n## {heading}\n\n{HEAD}{}", rows.concat());
    }
    text
}

#[test]
fn the_reference_has_each_command_and_flag() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let text = [before, BEGIN, &reference(), "\n", END, after].concat();
    if std::env::var_os("PORTOLAN_WRITE_TABLES").is_some() {
        fs::write(PAGE, text).unwrap();
    } else {
        assert!(page == text, "{PAGE}: write it anew with PORTOLAN_WRITE_TABLES=1");
    }
}

#[test]
fn definitions_are_consistent() {
    CommandLine::command().debug_assert();
    for command in all(&built()) {
        assert!(command.get_about().is_some(), "{} has no help", name(&command));
        let silent = command.get_arguments().find(|arg| arg.get_help().is_none() && arg.get_long_help().is_none());
        assert!(silent.is_none(), "{}: {silent:?} has no help", name(&command));
    }
}

#[test]
fn each_command_has_a_man_page_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    write_man_pages(folder.path()).unwrap();
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages: BTreeSet<String> = names.collect();
    let expected = all(&built()).iter().map(|command| format!("{}.1", name(command).replace(' ', "-"))).collect();
    assert_eq!(pages, expected);
    let page = fs::read_to_string(folder.path().join("portolan-claimables.1")).unwrap();
    assert!(page.contains("\\-\\-network") && page.contains("Exit codes"), "{page}");
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
        let script = completions(shell);
        assert!(script.contains("claimables") && script.contains("quarantine"), "{shell}");
        assert!(!script.contains("worker") && !script.contains("man-pages"), "{shell} shows hidden commands");
    }
}
