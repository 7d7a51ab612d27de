//! What streams cost and gain: the time to the first row of an answer, and a thousand watchers.

mod rows;
mod watchers;

pub(super) use self::rows::run as rows;
pub(super) use self::watchers::run as watchers;
