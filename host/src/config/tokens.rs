//! Token lists: `[tokens]`. Invariant: each list is named once; no error repeats a URL.

use portolan_assets::token_list::ListLocation;

use super::folders;
use super::form::ValueOrigin;

/// Maximum number of lists; more can be merged into one.
const LISTS_MAX: usize = 16;

pub(super) fn lists(texts: &[String], origin: ValueOrigin<'_>) -> Result<Vec<ListLocation>, String> {
    if texts.len() > LISTS_MAX {
        return Err(format!("names more than {LISTS_MAX} lists"));
    }
    let mut locations = Vec::new();
    for (text, number) in texts.iter().zip(1..) {
        let location = match ListLocation::parse(text).map_err(|error| format!("list {number} {error}"))? {
            ListLocation::File(_) => ListLocation::File(folders::beside(origin.file, text.clone()).into()),
            location => location,
        };
        if locations.contains(&location) {
            return Err(format!("list {number} is named twice"));
        }
        locations.push(location);
    }
    Ok(locations)
}
