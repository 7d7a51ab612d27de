//! Token lists: `[tokens]`. Invariant: each list is named once, the built-in one last; no error repeats a URL.

use std::ops::RangeInclusive;
use std::time::Duration;

use portolan_assets::token_list::{ListLocation, ListSettings};

use super::ConfigError;
use super::file::TokensTable;
use super::folders;
use super::layer::{Key, Layers};

/// Maximum number of lists; more can be merged into one.
const LISTS_MAX: usize = 16;

/// Seconds between two reads of a list. A second suits local files; after a week a list is stale.
const REFRESH_S: (u64, RangeInclusive<u64>) = (3600, 1..=604_800);

const LISTS: &str = "tokens.lists";
/// Comma-separated; keeps URLs with keys out of files.
const LISTS_VARIABLE: &str = "PORTOLAN_TOKENS_LISTS";
const SHIPPED: Key = Key { file: "tokens.shipped", flag: None };
const REFRESH: Key = Key { file: "tokens.refresh_s", flag: None };

pub(super) fn read(table: TokensTable, layers: &Layers<'_>) -> Result<ListSettings, ConfigError> {
    let mut locations = locations(&table.lists.unwrap_or_default(), layers)?;
    let shipped = layers.pick(SHIPPED, None, table.shipped.map(|setting| setting.to_string()));
    let is_shipped = shipped.map_or(Ok(true), |setting| match setting.text.as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(setting.bad("is neither true nor false")),
    })?;
    locations.extend(is_shipped.then_some(ListLocation::Shipped));
    let (default_s, range) = REFRESH_S;
    let refresh_s = layers.pick(REFRESH, None, table.refresh_s.map(|setting| setting.to_string()));
    let refresh_s = refresh_s.map_or(Ok(default_s), |setting| setting.number(&range))?;
    Ok(ListSettings { locations, refresh: Duration::from_secs(refresh_s) })
}

fn locations(file: &[String], layers: &Layers<'_>) -> Result<Vec<ListLocation>, ConfigError> {
    let is_of_file = layers.environment.get(LISTS_VARIABLE).is_none();
    let (setting, place) = match layers.environment.get(LISTS_VARIABLE) {
        Some(setting) => {
            let setting = setting.split(',').map(str::trim).filter(|one| !one.is_empty());
            (setting.collect(), LISTS_VARIABLE.to_owned())
        }
        None => (file.iter().map(String::as_str).collect::<Vec<_>>(), layers.place(LISTS)),
    };
    let bad = |reason: String| ConfigError::new(&place, reason);
    if setting.len() > LISTS_MAX {
        return Err(bad(format!("names more than {LISTS_MAX} lists")));
    }
    let mut locations = Vec::new();
    for (setting, number) in setting.into_iter().zip(1..) {
        let location = match ListLocation::parse(setting).map_err(|error| bad(format!("list {number} {error}")))? {
            ListLocation::File(_) if is_of_file => {
                ListLocation::File(folders::of_file(layers.file, setting.to_owned()).into())
            }
            location => location,
        };
        if locations.contains(&location) {
            return Err(bad(format!("list {number} is named twice")));
        }
        locations.push(location);
    }
    Ok(locations)
}
