//! Result of an evaluation: a value, or why there is none.

/// A value, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Eval<T> {
    Known(T),
    /// No value, whatever is read.
    Undefined,
    /// Needs a view that has not been read yet.
    NeedsCall,
    /// Needs a view that could not be read.
    ReadFailed,
}

impl<T> Eval<T> {
    /// Converts `None` to undefined.
    pub(crate) fn of(value: Option<T>) -> Self {
        value.map_or(Self::Undefined, Self::Known)
    }

    pub(crate) fn and_then<U>(self, make: impl FnOnce(T) -> Eval<U>) -> Eval<U> {
        match self {
            Self::Known(value) => make(value),
            Self::Undefined => Eval::Undefined,
            Self::NeedsCall => Eval::NeedsCall,
            Self::ReadFailed => Eval::ReadFailed,
        }
    }

    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> Eval<U> {
        self.and_then(|value| Eval::Known(make(value)))
    }

    /// Maps a value; undefined if `make` returns `None`.
    pub(crate) fn filter_map<U>(self, make: impl FnOnce(T) -> Option<U>) -> Eval<U> {
        self.and_then(|value| Eval::of(make(value)))
    }

    /// Combines two values. Undefined wins, since the result stays undefined whatever the other becomes.
    pub(crate) fn zip<U>(self, other: Eval<U>) -> Eval<(T, U)> {
        match (self, other) {
            (Self::Known(one), Eval::Known(other)) => Eval::Known((one, other)),
            (Self::Undefined, _) | (_, Eval::Undefined) => Eval::Undefined,
            (Self::NeedsCall, _) | (_, Eval::NeedsCall) => Eval::NeedsCall,
            _ => Eval::ReadFailed,
        }
    }
}
