//! Forms of values: how the file writes one, how a variable does, and what it has to be.
//!
//! Invariant: what a check refuses is a reason without its place, which the layers add.

use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;

use crate::cli::Flags;
use crate::memory::MemoryLimit;

/// A value as the file writes it.
pub(super) trait FileValue: Clone + DeserializeOwned + 'static {
    /// Parses the text of a flag or a variable.
    fn of_text(text: &str, bounds: &str) -> Result<Self, String>;
}

impl FileValue for u64 {
    fn of_text(text: &str, bounds: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("{text} is not a whole number from {bounds}"))
    }
}

impl FileValue for bool {
    fn of_text(text: &str, _: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("{text} is neither true nor false"))
    }
}

impl FileValue for String {
    fn of_text(text: &str, _: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

/// In a variable, commas separate the entries.
impl FileValue for Vec<String> {
    fn of_text(text: &str, _: &str) -> Result<Self, String> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        Ok(entries.map(ToOwned::to_owned).collect())
    }
}

/// The origin of a value; a default has neither place nor file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ValueOrigin<'a> {
    /// The flag, the variable, or the file and its key.
    pub(super) place: Option<&'a str>,
    pub(super) file: Option<&'a str>,
}

type Check<W, V> = Box<dyn Fn(W, ValueOrigin<'_>) -> Result<V, String>>;

/// A form: `W` is what the file writes, `V` what it means.
pub(super) struct ValueForm<W, V> {
    /// The range of a number, or the words to choose from.
    pub(super) bounds: String,
    pub(super) check: Check<W, V>,
}

/// A form, and what holds if no layer has a value.
pub(super) struct Setting<W, V> {
    pub(super) form: ValueForm<W, V>,
    pub(super) absent: Absent<W, V>,
    pub(super) flag: Option<Flag>,
    pub(super) has_variable: bool,
}

/// The name of a flag, and how to get its value.
type Flag = (&'static str, fn(&Flags) -> Option<&str>);

pub(super) enum Absent<W, V> {
    Default(W),
    Nothing(fn() -> V),
}

impl<W: FileValue, V: 'static> ValueForm<W, V> {
    pub(super) fn new(bounds: String, check: impl Fn(W, ValueOrigin<'_>) -> Result<V, String> + 'static) -> Self {
        Self { bounds, check: Box::new(check) }
    }

    /// Converts the checked value, for example into a duration.
    pub(super) fn map<U: 'static>(self, convert: fn(V) -> U) -> ValueForm<W, U> {
        let Self { bounds, check } = self;
        ValueForm::new(bounds, move |written, origin| check(written, origin).map(convert))
    }

    pub(super) fn or(self, default: W) -> Setting<W, V> {
        Setting { form: self, absent: Absent::Default(default), flag: None, has_variable: true }
    }

    pub(super) fn optional(self) -> Setting<W, Option<V>> {
        Setting { form: self.map(Some), absent: Absent::Nothing(|| None), flag: None, has_variable: true }
    }
}

impl<W, V> Setting<W, V> {
    pub(super) fn flag(self, name: &'static str, value: fn(&Flags) -> Option<&str>) -> Self {
        Self { flag: Some((name, value)), ..self }
    }

    /// Leaves the setting without a variable.
    pub(super) fn file_only(self) -> Self {
        Self { has_variable: false, ..self }
    }
}

/// A whole number within a range.
pub(super) fn whole(range: RangeInclusive<u64>) -> ValueForm<u64, u64> {
    let bounds = format!("{} to {}", range.start(), range.end());
    let shown = bounds.clone();
    let check = move |number: u64, _: ValueOrigin<'_>| {
        let refusal = || format!("{number} is not a whole number from {shown}");
        range.contains(&number).then_some(number).ok_or_else(refusal)
    };
    ValueForm::new(bounds, check)
}

pub(super) fn switch() -> ValueForm<bool, bool> {
    ValueForm::new(String::new(), |is_on, _| Ok(is_on))
}

/// One of some words; the first is the default.
pub(super) fn choice<T: Copy + 'static>(choices: &'static [(&'static str, T)]) -> Setting<String, T> {
    one_of(choices).or(choices.first().map_or("", |(word, _)| word).to_owned())
}

/// One of some words.
pub(super) fn one_of<T: Copy + 'static>(choices: &'static [(&'static str, T)]) -> ValueForm<String, T> {
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    let refusal = match words.as_slice() {
        [one, other] => format!("is neither {one} nor {other}"),
        [most @ .., last] => format!("is not one of {} and {last}", most.join(", ")),
        [] => String::new(),
    };
    let check = move |text: String, _: ValueOrigin<'_>| {
        let chosen = choices.iter().find(|(word, _)| *word == text);
        chosen.map(|(_, value)| *value).ok_or_else(|| format!("{text} {refusal}"))
    };
    ValueForm::new(words.join(", "), check)
}

/// A text that `parse` understands.
pub(super) fn text<T: 'static>(parse: fn(&str) -> Result<T, String>) -> ValueForm<String, T> {
    ValueForm::new(String::new(), move |text: String, _| parse(&text))
}

/// Texts that `parse` understands together.
pub(super) fn list<T: 'static>(
    parse: fn(&[String], ValueOrigin<'_>) -> Result<T, String>,
) -> ValueForm<Vec<String>, T> {
    ValueForm::new(String::new(), move |texts: Vec<String>, origin| parse(&texts, origin))
}

/// A bound that is a share of the process's memory unless it is set: one part in `parts`, at most the default.
pub(super) fn share(range: RangeInclusive<u64>, parts: u64, unit_bytes: u64) -> ValueForm<u64, MemoryShare> {
    let least = *range.start();
    let ValueForm { bounds, check } = whole(range);
    ValueForm::new(bounds, move |number, origin| {
        let is_set = origin.place.is_some();
        Ok(MemoryShare { number: check(number, origin)?, is_set, least, parts, unit_bytes })
    })
}

/// The value of a bound that may be a share of the memory.
pub(super) struct MemoryShare {
    number: u64,
    is_set: bool,
    least: u64,
    parts: u64,
    unit_bytes: u64,
}

impl MemoryShare {
    pub(super) fn bytes(&self, memory: &MemoryLimit) -> u64 {
        let share = || memory.share(self.parts, self.number * self.unit_bytes) / self.unit_bytes;
        let number = if self.is_set { self.number } else { share().max(self.least) };
        number * self.unit_bytes
    }
}
