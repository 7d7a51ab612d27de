//! Splits a row's text into parts. A row with several array sizes becomes one row per size. A row that only names its
//! event takes the signature of an earlier row.

use std::collections::HashMap;

use crate::scanner::Scanner;

/// Array sizes of one row; Curve's pools have up to eight coins.
const SIZES_MAX: usize = 16;

/// Parts of a row.
#[derive(Clone, Debug)]
pub(crate) struct RowText<'t> {
    pub(crate) kind: &'t str,
    /// One signature per array size.
    pub(crate) signatures: Vec<String>,
    /// Members and conditions.
    pub(crate) members: &'t str,
}

/// Signatures of a section so far, by event name.
pub(crate) type Signatures = HashMap<String, Vec<String>>;

impl<'t> RowText<'t> {
    /// Splits a row whose lines are joined.
    pub(crate) fn split(text: &'t str, above: &mut Signatures) -> Result<Self, String> {
        let (kind, rest) = text.split_once(char::is_whitespace).ok_or("a row needs a type and an event")?;
        let rest = rest.trim_start();
        let name = rest.split(|next: char| next == '(' || next.is_whitespace()).next().unwrap_or_default();
        let Some(end) = rest.strip_prefix(name).and_then(|rest| Some(name.len() + closing(rest)?)) else {
            let signatures = above.get(name).cloned();
            let signatures = signatures.ok_or_else(|| format!("no row above has the signature of {name}"))?;
            return Ok(Self { kind, signatures, members: rest.strip_prefix(name).unwrap_or(rest) });
        };
        let (signature, rest) = rest.split_at(end);
        let (signatures, members) = expand(signature, rest.trim_start())?;
        above.insert(name.to_owned(), signatures.clone());
        Ok(Self { kind, signatures, members })
    }
}

/// Returns the end of a text's leading parentheses, or of the text if they are not closed.
fn closing(text: &str) -> Option<usize> {
    if !text.starts_with('(') {
        return None;
    }
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    Some(text.len())
}

/// Parses `for N from 2 to 5` after a signature, and replaces `[N]` by each size.
fn expand<'t>(signature: &str, rest: &'t str) -> Result<(Vec<String>, &'t str), String> {
    let mut words = Scanner::new(rest);
    if !words.takes_word("for") {
        return Ok((vec![signature.to_owned()], rest));
    }
    let name = words.name()?;
    words.needs_word("from")?;
    let from = size(words.name()?)?;
    words.needs_word("to")?;
    let to = size(words.name()?)?;
    if from >= to || to - from >= SIZES_MAX {
        return Err(format!("{from} to {to} are not 2 to {SIZES_MAX} sizes"));
    }
    let array = format!("[{name}]");
    if !signature.contains(&array) {
        return Err(format!("the signature has no {array}"));
    }
    let signatures = (from..=to).map(|size| signature.replace(&array, &format!("[{size}]"))).collect();
    Ok((signatures, words.rest()))
}

fn size(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("{text} is not a size"))
}
