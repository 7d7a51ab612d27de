//! Reasons in one bounded line.

/// Reasons that are given in words; the rest are counted.
const NAMED_MAX: usize = 8;

/// Reasons why findings of a job were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasons {
    named: Vec<String>,
    more: usize,
}

impl Reasons {
    /// Adds a reason.
    pub fn add(&mut self, reason: String) {
        if self.named.len() < NAMED_MAX {
            self.named.push(reason);
        } else {
            self.more += 1;
        }
    }

    /// Returns true if there is no reason.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// Returns the first reasons, and then the number of the others as a sentence if there are any.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let more = (self.more > 0).then(|| format!("and {} more", self.more));
        self.named.iter().cloned().chain(more)
    }

    /// Returns the first reasons in words and the number of the others; `None` if there is none.
    pub fn line(&self) -> Option<String> {
        let named = self.named.join("; ");
        match self.more {
            0 => (!named.is_empty()).then_some(named),
            more => Some(format!("{named}; and {more} more")),
        }
    }
}
