//! One type name stands once in a crate, and names and docs use the field's words.

use std::collections::BTreeMap;

use super::crates::CRATES;
use super::{assert_none, sources};

/// Words that say nothing to a reader who knows Rust, HTTP and EVM but not this tree.
const PRIVATE: [&str; 22] = [
    "told", "tell", "teller", "asked", "ask", "asker", "kept", "keeper", "wave", "waves", "look", "story", "scene",
    "stranger", "border", "admit", "standing", "seat", "landing", "leave", "hear", "worth",
];

/// The words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if (letter == '_' || letter.is_uppercase()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if letter != '_' {
            words.last_mut().unwrap().extend(letter.to_lowercase());
        }
    }
    words
}

#[test]
fn one_type_name_stands_once_in_a_crate() {
    let mut found = Vec::new();
    for of in CRATES.iter() {
        let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for module in of.modules.values() {
            module.types.iter().for_each(|name| files.entry(name).or_default().push(&module.file));
        }
        let twice = files.into_iter().filter(|(_, files)| files.len() > 1);
        found.extend(twice.map(|(name, files)| format!("{}: {name} in {}", of.folder, files.join(", "))));
    }
    assert_none("a type name that stands twice", found.into_iter());
}

#[test]
fn names_use_the_words_of_the_field() {
    let mut found = Vec::new();
    for of in CRATES.iter() {
        for module in of.modules.values() {
            let names = module.types.iter().chain(&module.functions);
            let is_private = |name: &str| words(name).iter().any(|word| PRIVATE.contains(&word.as_str()));
            // To look up is what caches do.
            let private = names.filter(|name| is_private(&name.replace("look_up", "get")));
            found.extend(private.map(|name| format!("{}: {name}", module.file)));
        }
    }
    assert_none("a word of this tree alone", found.into_iter());
}

#[test]
fn docs_are_sentences_with_a_subject() {
    let begins = |line: &str| ["/// Of ", "//! Of "].iter().any(|head| line.trim_start().starts_with(head));
    let of = |(path, source): (String, String)| {
        let lines = source.lines().filter(|line| begins(line)).map(|line| format!("{path}: {}", line.trim_start()));
        lines.collect::<Vec<String>>()
    };
    assert_none("a doc that is a fragment", sources().into_iter().flat_map(of));
}

#[test]
fn words_of_names_are_told_apart() {
    assert_eq!(words("KeptReply"), ["kept", "reply"]);
    assert_eq!(words("ask_viem"), ["ask", "viem"]);
}
