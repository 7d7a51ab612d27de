//! Scans words, numbers and signs at the start of a text. Spaces only separate them.

/// A text being parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text.trim() }
    }

    /// Takes a sign if it is next; returns true if so.
    pub(crate) fn takes(&mut self, sign: &str) -> bool {
        self.rest.strip_prefix(sign).map(|rest| self.rest = rest.trim_start()).is_some()
    }

    /// Takes a required sign.
    pub(crate) fn needs(&mut self, sign: &str) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(format!("{sign} is missing before {}", self.remainder())) }
    }

    /// Returns the next word or number, which may be empty.
    pub(crate) fn word(self) -> &'a str {
        let end = self.rest.find(|next: char| !next.is_ascii_alphanumeric() && next != '_');
        self.rest.split_at(end.unwrap_or(self.rest.len())).0
    }

    /// Takes this word if it is next; returns true if so.
    pub(crate) fn takes_word(&mut self, word: &str) -> bool {
        self.word() == word && self.takes(word)
    }

    /// Takes a required word.
    pub(crate) fn needs_word(&mut self, word: &str) -> Result<(), String> {
        if self.takes_word(word) { Ok(()) } else { Err(format!("{word} is missing before {}", self.remainder())) }
    }

    /// Takes the next word or number.
    pub(crate) fn name(&mut self) -> Result<&'a str, String> {
        let name = self.word();
        if name.is_empty() {
            return Err(format!("a name is missing before {}", self.remainder()));
        }
        self.takes(name);
        Ok(name)
    }

    /// Takes the text up to a sign, and the sign.
    pub(crate) fn until(&mut self, sign: &str) -> Result<&'a str, String> {
        let (before, rest) = self.rest.split_once(sign).ok_or_else(|| format!("{sign} is missing"))?;
        self.rest = rest.trim_start();
        Ok(before.trim())
    }

    /// Returns the remaining text.
    pub(crate) fn rest(self) -> &'a str {
        self.rest
    }

    pub(crate) fn is_empty(self) -> bool {
        self.rest.is_empty()
    }

    /// Requires the end of the text.
    pub(crate) fn ends(self) -> Result<(), String> {
        if self.is_empty() { Ok(()) } else { Err(format!("{} is not understood", self.remainder())) }
    }

    /// Describes the remaining text, for an error.
    fn remainder(self) -> String {
        if self.is_empty() { "the end of the row".to_owned() } else { format!("{:?}", self.rest) }
    }
}
