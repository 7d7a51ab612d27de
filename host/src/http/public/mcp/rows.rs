//! The rows of an answer: where they stand in its body, and the slice that one result has.
//!
//! Invariant: the slices of an answer have each of its rows once, if it does not change between them. Rows are cut
//! between, never within.

use serde_json::{Map, Value};

use super::cursor::Cursor;
use super::tools::DataShape;

/// Links to drawings, which no model needs.
pub(super) const LOGO: &str = "logo";
/// Members of a claimable that have calldata.
pub(super) const CALLDATA: [&str; 2] = ["claimTransaction", "claimSteps"];

/// Bytes that the rows of a slice take in a result, which leave room for notes.
const BYTES_MAX: usize = 92_000;

/// A part of an answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Slice {
    pub(super) data: Value,
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) total: usize,
    /// Id of the last row.
    pub(super) last: Option<String>,
    /// Places of rows that are longer than a slice.
    pub(super) too_long: Vec<usize>,
    /// True if the row that the cursor names is not there any more.
    pub(super) has_moved: bool,
}

/// Removes members at any depth.
pub(super) fn remove(value: &mut Value, names: &[&str]) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !names.contains(&name.as_str()));
            members.values_mut().for_each(|value| remove(value, names));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove(item, names)),
        _ => {}
    }
}

/// Takes a slice out of an answer's body; `None` if an object is too long.
pub(super) fn slice(body: Value, shape: DataShape, cursor: Option<&Cursor>) -> Option<Slice> {
    match (shape, body) {
        (DataShape::Portfolio, Value::Object(portfolio)) => of_portfolio(portfolio, cursor),
        (_, Value::Array(rows)) => {
            let (rows, place) = cut(rows, cursor, |row| row);
            Some(Slice { data: Value::Array(rows), ..place })
        }
        // The events of a transaction beside what they did to an account.
        (DataShape::List, Value::Object(mut members)) if members.get("items").is_some_and(Value::is_array) => {
            let Some(Value::Array(rows)) = members.remove("items") else { return None };
            let (rows, place) = cut(rows, cursor, |row| row);
            members.insert("items".to_owned(), Value::Array(rows));
            Some(Slice { data: Value::Object(members), ..place })
        }
        (_, object) => {
            let fits = bytes_in_result(&object) <= BYTES_MAX;
            let whole = Slice { count: 1, total: 1, ..Slice::default() };
            fits.then_some(Slice { data: object, ..whole })
        }
    }
}

/// Cuts the positions of all protocols as one list.
fn of_portfolio(mut portfolio: Map<String, Value>, cursor: Option<&Cursor>) -> Option<Slice> {
    let Some(Value::Array(mut groups)) = portfolio.remove("protocols") else { return None };
    let mut rows = Vec::new();
    for (group, of_group) in groups.iter_mut().enumerate() {
        if let Some(Value::Array(positions)) = of_group.get_mut("positions").map(Value::take) {
            rows.extend(positions.into_iter().map(|position| (group, position)));
        }
    }
    let (rows, place) = cut(rows, cursor, |(_, position)| position);
    let mut positions: Vec<Vec<Value>> = groups.iter().map(|_| Vec::new()).collect();
    for (group, position) in rows {
        positions[group].push(position);
    }
    let shown = groups.into_iter().zip(positions).filter(|(_, positions)| !positions.is_empty());
    let shown = shown.map(|(mut group, positions)| {
        group["positions"] = Value::Array(positions);
        group
    });
    portfolio.insert("protocols".to_owned(), shown.collect());
    Some(Slice { data: Value::Object(portfolio), ..place })
}

/// Cuts the rows that fit after the cursor.
fn cut<T>(rows: Vec<T>, cursor: Option<&Cursor>, row: impl Fn(&T) -> &Value) -> (Vec<T>, Slice) {
    let after = cursor.and_then(|cursor| cursor.after.as_deref());
    let found = after.and_then(|after| rows.iter().position(|one| id(row(one)) == Some(after)));
    let before = cursor.map_or(0, |cursor| cursor.before).min(rows.len());
    let first = found.map_or(before, |place| place + 1);
    let has_moved = after.is_some() && found.is_none();
    let mut slice = Slice { first, total: rows.len(), has_moved, ..Slice::default() };
    let (mut shown, mut bytes) = (Vec::new(), 0);
    for one in rows.into_iter().skip(first) {
        let length = bytes_in_result(row(&one));
        if length <= BYTES_MAX && bytes + length > BYTES_MAX {
            break;
        }
        slice.last = id(row(&one)).map(str::to_owned);
        if length > BYTES_MAX {
            slice.too_long.push(first + slice.count);
        } else {
            bytes += length;
            shown.push(one);
        }
        slice.count += 1;
    }
    (shown, slice)
}

/// Returns the bytes that a row and its comma take in a result, which has it twice: as data, and as a text in which quotes
/// and backslashes are two characters.
fn bytes_in_result(row: &Value) -> usize {
    let text = row.to_string();
    let doubled = text.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    2 * (text.len() + 1) + doubled
}

fn id(row: &Value) -> Option<&str> {
    row.get("id")?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A row of this many bytes.
    fn row(id: usize, bytes: usize) -> Value {
        let mut row = json!({"id": format!("r{id:04}"), "x": ""});
        let short = row.to_string().len();
        row["x"] = json!("x".repeat(bytes - short));
        row
    }

    fn next(slice: &Slice) -> Cursor {
        Cursor::new("", slice.first + slice.count, slice.last.clone(), None)
    }

    #[test]
    fn slices_have_each_row_once() {
        // Each has 8 quotes, and so takes 2,010 bytes: 45 take 90,450.
        let rows: Vec<Value> = (0..70).map(|id| row(id, 1_000)).collect();
        let body = Value::Array(rows.clone());
        let (mut seen, mut counts, mut cursor) = (Vec::new(), Vec::new(), None);
        loop {
            let slice = slice(body.clone(), DataShape::List, cursor.as_ref()).unwrap();
            seen.extend(slice.data.as_array().unwrap().clone());
            counts.push(slice.count);
            if slice.first + slice.count == slice.total {
                break;
            }
            cursor = Some(next(&slice));
        }
        assert_eq!((seen, counts), (rows, vec![45, 25]));
    }

    #[test]
    fn a_slice_goes_on_after_its_row_wherever_that_is_now() {
        let rows = |ids: &[usize]| Value::Array(ids.iter().map(|id| row(*id, 100)).collect());
        let cursor = Cursor::new("", 2, Some("r0002".into()), None);
        let ids = |slice: &Slice| -> Vec<String> {
            slice.data.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
        };
        let moved = slice(rows(&[0, 1, 2, 3]), DataShape::List, Some(&cursor)).unwrap();
        assert_eq!((ids(&moved), moved.has_moved), (vec!["r0003".to_owned()], false));
        let gone = slice(rows(&[1, 3, 4]), DataShape::List, Some(&cursor)).unwrap();
        assert_eq!((ids(&gone), gone.has_moved), (vec!["r0004".to_owned()], true));
        let ended = slice(rows(&[]), DataShape::List, Some(&cursor)).unwrap();
        assert_eq!((ended.count, ended.total), (0, 0));
    }

    #[test]
    fn positions_keep_their_protocols_and_totals() {
        let group = |name: &str, ids: &[usize]| json!({"protocol": name, "positions": ids.iter().map(|id| row(*id, 20_000)).collect::<Vec<_>>()});
        let body =
            json!({"totals": {"net": "1"}, "protocols": [group("a", &[0]), group("b", &[1, 2]), group("c", &[3])]});
        let first = slice(body.clone(), DataShape::Portfolio, None).unwrap();
        assert_eq!((first.count, first.total), (2, 4));
        assert_eq!(first.data, json!({"totals": {"net": "1"}, "protocols": [group("a", &[0]), group("b", &[1])]}));
        let second = slice(body, DataShape::Portfolio, Some(&next(&first))).unwrap();
        assert_eq!(second.data["protocols"], json!([group("b", &[2]), group("c", &[3])]));
        assert_eq!(second.first + second.count, second.total);
    }

    #[test]
    fn what_does_not_fit_is_not_cut() {
        let rows = slice(json!([row(0, 100), row(1, 50_000), row(2, 100)]), DataShape::List, None).unwrap();
        assert_eq!((&rows.data, rows.count, rows.too_long), (&json!([row(0, 100), row(2, 100)]), 3, vec![1]));
        assert_eq!(slice(row(0, 50_000), DataShape::ClaimPlan, None), None);
        let events = json!({"account": {"in": []}, "items": [row(0, 100)]});
        assert_eq!(slice(events.clone(), DataShape::List, None).unwrap().data, events);
    }

    #[test]
    fn members_are_removed_at_any_depth() {
        let mut value = json!([{"logo": "x", "token": {"logo": null, "name": "logo"}}]);
        remove(&mut value, &[LOGO]);
        assert_eq!(value, json!([{"token": {"name": "logo"}}]));
    }
}
