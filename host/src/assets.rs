//! What accounts hold: tokens, what they are made of, what they cost, and the lists that name them.

pub(crate) mod composition;
pub(crate) mod price;
pub(crate) mod token;
pub(crate) mod token_list;
