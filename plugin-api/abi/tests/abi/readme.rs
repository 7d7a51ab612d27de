//! Checks the README's tables of maps and rows against the code; third parties write plugins from them.

use std::collections::BTreeMap;

use portolan_abi::row::{FactsRow, JobIn, JobOut, LogRow, Network, Read, Reply, Row};

const README: &str = include_str!("../../README.md");
const MAPS: [&str; 7] = [
    include_str!("../../src/map/catalogue.rs"),
    include_str!("../../src/map/claim.rs"),
    include_str!("../../src/map/event.rs"),
    include_str!("../../src/map/finding.rs"),
    include_str!("../../src/map/job.rs"),
    include_str!("../../src/map/position.rs"),
    include_str!("../../src/map/settings.rs"),
];

/// A table's number column, with the name beside each number.
type Table = Vec<(usize, String)>;

/// Returns the tables under third-level headings, by the heading's first word.
fn tables(rows: impl Fn(&[&str]) -> Option<(usize, String)>) -> BTreeMap<String, Table> {
    let sections = README.split("\n### ").skip(1);
    let table = |section: &str| {
        let lines = section.lines().take_while(|line| !line.starts_with("## "));
        lines.filter_map(|line| rows(&line.split('|').map(str::trim).collect::<Vec<_>>())).collect()
    };
    sections.map(|section| (section.split([',', '\n']).next().unwrap_or_default().to_owned(), table(section))).collect()
}

/// Marks optional fields with a question mark.
fn field_text(field: &str, is_optional: bool) -> String {
    format!("{field}{}", if is_optional { "?" } else { "" })
}

/// Returns the keys and fields of every map, parsed from its source.
fn maps() -> BTreeMap<String, Table> {
    let structs = MAPS.iter().flat_map(|source| source.split("#[cbor(map)]\npub struct ").skip(1));
    let table = |text: &str| {
        let (mut table, mut key) = (Table::new(), None);
        for line in text.lines().map(str::trim).take_while(|line| *line != "}") {
            let number = line.split_once("n(").and_then(|(_, rest)| rest.split(')').next()?.parse().ok());
            match (line.strip_prefix("pub ").and_then(|field| field.split_once(':')), key.take()) {
                (Some((field, kind)), Some(key)) => table.push((key, field_text(field, kind.contains("Option<")))),
                _ => key = number.filter(|_| line.starts_with("#[")),
            }
        }
        table
    };
    structs.map(|text| (text.split(' ').next().unwrap_or_default().to_owned(), table(text))).collect()
}

#[test]
fn every_map_stands_in_the_readme_with_its_keys() {
    let actual = tables(|cells| match cells {
        ["", key, field, what, ""] => {
            Some((key.parse().ok()?, field_text(field.trim_matches('`'), what.starts_with("optional"))))
        }
        _ => None,
    });
    let maps = maps();
    assert_eq!(maps.len(), 40, "{:?}", maps.keys());
    for (map, keys) in maps {
        assert!(!keys.is_empty(), "{map}");
        assert_eq!(actual.get(&map), Some(&keys), "{map}");
    }
}

#[test]
fn every_row_stands_in_the_readme_without_a_gap() {
    let actual = tables(|cells| match cells {
        ["", offset, bytes, _, _, ""] => Some((offset.parse().ok()?, (*bytes).to_owned())),
        _ => None,
    });
    let sizes = [
        ("JobIn", JobIn::SIZE),
        ("Reply", Reply::SIZE),
        ("JobOut", JobOut::SIZE),
        ("Facts", FactsRow::SIZE),
        ("Network", Network::SIZE),
        ("Read", Read::SIZE),
        ("Log", LogRow::SIZE),
    ];
    for (row, size) in sizes {
        assert!(README.contains(&format!("### {row}, {size} bytes")), "{row}");
        let end = actual[row].iter().fold(0, |end, (offset, bytes)| {
            assert_eq!(*offset, end, "{row}");
            end + bytes.parse::<usize>().expect("a number of bytes")
        });
        assert_eq!(end, size, "{row}");
    }
}
