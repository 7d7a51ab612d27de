//! Markdown tables of figures, and what is required of them.
//!
//! Invariant: a bound that is missed is marked in the table and named at the end; where it is about bytes, requests,
//! gas or batches the run fails, where it is about time another run may come out otherwise. What is only aimed at fails
//! no run.

use super::Say;

/// The kind of a figure, by what it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The machine and what else it does.
    Time,
    /// The code alone.
    Count,
    /// The code alone, which does not reach it everywhere yet.
    Aim,
}

/// Which bounds were missed.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    missed: Vec<(Kind, String)>,
}

impl Verdict {
    /// A figure that may not be larger.
    pub(super) fn at_most(&mut self, kind: Kind, what: &str, figure: f64, bound: f64) -> String {
        // A figure that is not a number meets no bound.
        self.reported(kind, what, figure <= bound, format!("{} (≤ {})", number(figure), number(bound)))
    }

    /// A ratio that may not be smaller.
    pub(super) fn at_least(&mut self, kind: Kind, what: &str, ratio: f64, bound: f64) -> String {
        self.reported(kind, what, ratio >= bound, format!("{}× (≥ {})", number(ratio), number(bound)))
    }

    /// A number that has to be exactly that.
    pub(super) fn exactly(&mut self, what: &str, figure: u64, bound: u64) -> String {
        self.reported(Kind::Count, what, figure == bound, format!("{figure} (= {bound})"))
    }

    fn reported(&mut self, kind: Kind, what: &str, holds: bool, text: String) -> String {
        if holds {
            return text;
        }
        self.missed.push((kind, format!("{what}: {text}")));
        format!("**{text} missed**")
    }

    pub(super) fn report(&self, say: Say<'_>) {
        say("");
        for (kind, what) in &self.missed {
            let weight = match kind {
                Kind::Time => "missed, a matter of time",
                Kind::Count => "MISSED",
                Kind::Aim => "missed, not reached yet",
            };
            say(&format!("{weight}: {what}"));
        }
        if self.missed.is_empty() {
            say("every bound holds");
        }
    }

    /// Returns true if all bounds hold that are neither about time nor only aimed at.
    pub(super) fn holds(&self) -> bool {
        self.missed.iter().all(|(kind, _)| *kind != Kind::Count)
    }
}

/// A heading and the head of a table.
pub(super) fn begin(say: Say<'_>, heading: &str, columns: &[&str]) {
    say(&format!("\n### {heading}\n"));
    row(say, columns);
    row(say, &vec!["---"; columns.len()]);
}

pub(super) fn row(say: Say<'_>, cells: &[impl AsRef<str>]) {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    say(&format!("| {} |", cells.join(" | ")));
}

/// Three digits that matter, and all digits before the point.
pub(super) fn number(value: f64) -> String {
    let decimals = match value.abs() {
        ..1.0 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.decimals$}");
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (whole, fraction) = short.split_once('.').map_or((short, String::new()), |(w, f)| (w, format!(".{f}")));
    format!("{}{fraction}", grouped(whole))
}

fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        let left = digits.len() - place;
        if place > 0 && left.is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count as a number to divide; exact for all that is counted here.
pub(super) fn float(count: impl TryInto<u32>) -> f64 {
    count.try_into().map_or(f64::NAN, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits_and_group_thousands() {
        for (value, text) in
            [(0.0, "0"), (0.5, "0.5"), (9.214, "9.21"), (99.96, "100"), (302.4, "302"), (2_290_000.0, "2,290,000")]
        {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn what_is_about_time_or_only_aimed_at_fails_no_run() {
        let mut verdict = Verdict::default();
        assert_eq!(verdict.at_least(Kind::Time, "wall", 19.0, 20.0), "**19× (≥ 20) missed**");
        assert_eq!(verdict.at_most(Kind::Aim, "round trips", 3.0, 1.5), "**3 (≤ 1.5) missed**");
        assert!(verdict.holds());
        assert_eq!(verdict.at_most(Kind::Count, "gas", 5750.0, 5750.0), "5,750 (≤ 5,750)");
        assert!(verdict.holds());
        assert_eq!(verdict.at_most(Kind::Count, "gas", f64::NAN, 5750.0), "**NaN (≤ 5,750) missed**");
        assert!(!verdict.holds());
    }
}
