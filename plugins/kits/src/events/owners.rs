//! Finds the protocols whose contracts emitted a transaction's logs.

use std::collections::{BTreeMap, BTreeSet};

use portolan_plugin_api::{Address, Error, JobContext, U256, sol};

use super::source::{Source, View, Words};
use crate::partial::join_partial;

sol! {
    // Any view whose first word is read; the call renames it.
    function own() external view returns (uint256);
    function known(address about) external view returns (uint256);
}

/// Cache time of a view, in seconds. A pool's tokens never change, and registries rarely remove a contract. A newly
/// registered contract is recognized at most this much later.
const VIEWS_STAND_S: u32 = 86_400;

/// Slug of a protocol, with a source.
type Sourced<'a> = (&'a str, &'a Source);

/// Returns slugs by emitter and section. The first source that lists the emitter wins, otherwise the first whose views
/// recognize it.
pub(super) async fn find<'a>(
    cx: &JobContext,
    emitters: BTreeSet<(Address, &'a str)>,
    sources: &[Sourced<'a>],
) -> Result<BTreeMap<(Address, &'a str), &'a str>, Error> {
    let listed = |(emitter, section)| of(sources, section).find(|(_, source)| source.lists(emitter));
    let open = emitters.iter().filter(|emitted| listed(**emitted).is_none());
    let open: Vec<(Address, &Source)> =
        open.flat_map(|(emitter, section)| of(sources, section).map(|(_, source)| (*emitter, *source))).collect();
    let mut words = read(cx, open.iter().flat_map(|(emitter, source)| source.views(*emitter)).collect()).await;
    let further = open.iter().flat_map(|(emitter, source)| source.further_views(*emitter, &words)).collect();
    words.extend(read(cx, further).await);
    let known = |(emitter, section)| of(sources, section).find(|(_, source)| source.knows(emitter, &words));
    let owner = |emitted: &(Address, &'a str)| Some((*emitted, listed(*emitted).or_else(|| known(*emitted))?.0));
    Ok(emitters.iter().filter_map(owner).collect())
}

/// Iterates over the sources of a section.
fn of<'s, 'a>(sources: &'s [Sourced<'a>], section: &'s str) -> impl Iterator<Item = &'s Sourced<'a>> {
    sources.iter().filter(move |(_, source)| source.has(section))
}

/// Reads views; failed reads are reported as missing.
async fn read<'a>(cx: &JobContext, views: BTreeSet<View<'a>>) -> Words<'a> {
    let words = join_partial(cx, views.into_iter().map(|view| word(cx, view))).await;
    words.or_report(cx, "protocols of events").into_iter().flatten().collect()
}

/// Returns the first word of a view's reply; `None` if the contract lacks the view.
async fn word<'a>(cx: &JobContext, view: View<'a>) -> Result<Option<(View<'a>, U256)>, Error> {
    let View { contract, name, argument } = view;
    let reply = match argument {
        Some(about) => cx.try_call_as(contract, name, &knownCall { about }).within(VIEWS_STAND_S).await?,
        None => cx.try_call_as(contract, name, &ownCall {}).within(VIEWS_STAND_S).await?,
    };
    Ok(reply.ok().map(|word| (view, word)))
}
