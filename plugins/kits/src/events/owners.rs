//! Whose contracts emitted the logs of a transaction.

use std::collections::{BTreeMap, BTreeSet};

use portolan_plugin_api::{Address, Chain, Error, U256, sol};

use super::source::{Source, View, Words};
use crate::each::each;

sol! {
    // Any view whose first word is asked for; the call gives its name.
    function own() external view returns (uint256);
    function known(address about) external view returns (uint256);
}

/// Seconds that an answer may stand: tokens of a pool never change, and what a registry knows it seldom forgets. That a
/// contract is not known may be about to change; it is told at most this much later.
const ANSWERS_STAND_S: u32 = 86_400;

/// A source, and the slug of the protocol that it is of.
type Sourced<'a> = (&'a str, &'a Source);

/// Slugs by emitter and section: of the first source that lists the emitter, else of the first that a view tells it to
/// belong to.
pub(super) async fn find<'a>(
    cx: &Chain,
    emitters: BTreeSet<(Address, &'a str)>,
    sources: &[Sourced<'a>],
) -> Result<BTreeMap<(Address, &'a str), &'a str>, Error> {
    let listed = |(emitter, section)| of(sources, section).find(|(_, source)| source.lists(emitter));
    let open = emitters.iter().filter(|emitted| listed(**emitted).is_none());
    let open: Vec<(Address, &Source)> =
        open.flat_map(|(emitter, section)| of(sources, section).map(|(_, source)| (*emitter, *source))).collect();
    let mut words = ask(cx, open.iter().flat_map(|(emitter, source)| source.views(*emitter)).collect()).await;
    let further = open.iter().flat_map(|(emitter, source)| source.further_views(*emitter, &words)).collect();
    words.extend(ask(cx, further).await);
    let known = |(emitter, section)| of(sources, section).find(|(_, source)| source.knows(emitter, &words));
    let owner = |emitted: &(Address, &'a str)| Some((*emitted, listed(*emitted).or_else(|| known(*emitted))?.0));
    Ok(emitters.iter().filter_map(owner).collect())
}

/// The sources of a section.
fn of<'s, 'a>(sources: &'s [Sourced<'a>], section: &'s str) -> impl Iterator<Item = &'s Sourced<'a>> {
    sources.iter().filter(move |(_, source)| source.has(section))
}

/// Views that could not be read are told to be missing.
async fn ask<'a>(cx: &Chain, views: BTreeSet<View<'a>>) -> Words<'a> {
    let words = each(cx, views.into_iter().map(|view| word(cx, view))).await.or_told(cx, "protocols of events");
    words.into_iter().flatten().collect()
}

/// A view's first word; nothing where there is no such view.
async fn word<'a>(cx: &Chain, view: View<'a>) -> Result<Option<(View<'a>, U256)>, Error> {
    let (to, name, argument) = view;
    let answer = match argument {
        Some(about) => cx.try_call_as(to, name, &knownCall { about }).within(ANSWERS_STAND_S).await?,
        None => cx.try_call_as(to, name, &ownCall {}).within(ANSWERS_STAND_S).await?,
    };
    Ok(answer.ok().map(|word| (view, word)))
}
