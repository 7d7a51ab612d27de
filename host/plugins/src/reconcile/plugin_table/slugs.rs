//! Decides which plugin serves a protocol that several have: the one that served it last, also before a restart; else
//! the one whose file name comes first. The others still serve their other protocols.
//!
//! A plugin that only decodes a protocol's events does not keep another from serving it. The other plugin answers
//! questions about accounts, and also decodes the events if it can; otherwise both do their part. Invariant: a
//! protocol's events come from one plugin, and everything else of it from one.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use portolan_abi::Question;

use super::{Active, PluginTable};
use crate::serve::snapshot::Served;
use crate::trust::known_good::{GoodProtocol, KnownGood};

/// The part of a protocol that a plugin covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ServedPart {
    Whole,
    EventsAlone,
}

/// The plugins that serve slugs, by slug and part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Holders(BTreeMap<(String, ServedPart), String>);

/// The part of its protocols that a plugin serves.
#[derive(Clone, Debug, Default)]
pub(super) struct PluginShare {
    pub(super) served: Vec<Served>,
    /// Protocols that another plugin serves without their events, which this one decodes.
    pub(super) events: Vec<Served>,
    /// Slugs that another plugin serves, with that plugin's name.
    pub(super) refused: BTreeMap<String, String>,
}

/// A plugin that has a protocol.
struct Candidate<'a> {
    plugin: &'a str,
    file: &'a Path,
    served: &'a Served,
    part: ServedPart,
}

impl PluginShare {
    /// Reason why it does not serve all its protocols; `None` if it does.
    pub(super) fn reason(&self) -> Option<String> {
        let refused = self.refused.iter().map(|(slug, other)| refusal(slug, other));
        Some(refused.collect::<Vec<_>>().join("; ")).filter(|reason| !reason.is_empty())
    }

    /// Slugs of which it serves more than events.
    pub(super) fn whole_slugs(&self) -> impl Iterator<Item = &str> {
        let whole = self.served.iter().filter(|served| part(questions(served)) == ServedPart::Whole);
        whole.map(|served| served.protocol.slug.as_str())
    }

    pub(super) fn slugs(&self) -> impl Iterator<Item = &str> {
        self.served.iter().chain(&self.events).map(|served| served.protocol.slug.as_str())
    }
}

impl Holders {
    /// The holders in the process before.
    pub(super) fn remembered(known_good: &KnownGood) -> Self {
        let held = |(plugin, protocol): (&String, &GoodProtocol)| {
            let part = if protocol.has_events_alone() { ServedPart::EventsAlone } else { ServedPart::Whole };
            ((protocol.slug.clone(), part), plugin.clone())
        };
        let all = known_good.iter().flat_map(|(plugin, good)| good.current.serves.iter().map(move |it| (plugin, it)));
        Self(all.map(held).collect())
    }

    fn get(&self, slug: &str, part: ServedPart) -> Option<&str> {
        self.0.get(&(slug.to_owned(), part)).map(String::as_str)
    }
}

impl PluginTable {
    /// Reassigns each protocol to a plugin.
    pub(super) fn share_out(&mut self) {
        let mut holders = Holders::default();
        let mut shares: BTreeMap<String, PluginShare> = BTreeMap::new();
        for (slug, candidates) in self.candidates() {
            let [whole, events] =
                [ServedPart::Whole, ServedPart::EventsAlone].map(|part| self.chosen(slug, part, &candidates));
            let has_events = |served: &Served| questions(served).any(|question| question == Question::EVENTS);
            let events = events.filter(|_| !whole.is_some_and(|whole| has_events(whole.served)));
            for holder in [whole, events].into_iter().flatten() {
                holders.0.insert((slug.to_owned(), holder.part), holder.plugin.to_owned());
            }
            let (serving, beside) = match (whole, events) {
                (Some(whole), beside) => (Some(whole), beside),
                (None, events) => (events, None),
            };
            for candidate in &candidates {
                let share = shares.entry(candidate.plugin.to_owned()).or_default();
                let is = |holder: Option<&Candidate<'_>>| holder.is_some_and(|it| it.plugin == candidate.plugin);
                if is(serving) {
                    share.served.push(candidate.served.clone());
                } else if is(beside) {
                    share.events.push(candidate.served.clone());
                } else if let Some(other) = beside.filter(|it| it.part == candidate.part).or(serving) {
                    share.refused.insert(slug.to_owned(), other.plugin.to_owned());
                }
            }
        }
        self.holders = holders;
        self.take_shares(shares);
    }

    /// The plugins that have each slug, ordered by file.
    fn candidates(&self) -> BTreeMap<&str, Vec<Candidate<'_>>> {
        let mut candidates: BTreeMap<&str, Vec<Candidate<'_>>> = BTreeMap::new();
        let active = self.plugin_table.iter().filter_map(|(name, slot)| Some((name, slot.active.as_ref()?)));
        for (plugin, Active { file, offered, .. }) in active {
            for served in offered {
                let candidate = Candidate { plugin, file, served, part: part(questions(served)) };
                candidates.entry(&served.protocol.slug).or_default().push(candidate);
            }
        }
        let by_file = |one: &Candidate<'_>, other: &Candidate<'_>| -> Ordering { one.file.cmp(other.file) };
        candidates.values_mut().for_each(|of_slug| of_slug.sort_by(by_file));
        candidates
    }

    /// The plugin that serves a part of a slug. Until the first scan is done, only the assignment before the restart
    /// counts: a plugin that is late, because it falls back to its known good build, gets its protocols back.
    fn chosen<'a>(&self, slug: &str, part: ServedPart, candidates: &'a [Candidate<'a>]) -> Option<&'a Candidate<'a>> {
        let mut of_part = candidates.iter().filter(|candidate| candidate.part == part);
        let now = self.holders.get(slug, part).filter(|_| self.is_started);
        let before = self.remembered.get(slug, part);
        let held = [now, before].into_iter().flatten();
        held.filter_map(|holder| of_part.clone().find(|candidate| candidate.plugin == holder))
            .next()
            .or_else(|| of_part.next())
    }

    fn take_shares(&mut self, mut shares: BTreeMap<String, PluginShare>) {
        for (plugin, slot) in &mut self.plugin_table {
            let Some(active) = &mut slot.active else { continue };
            let share = shares.remove(plugin).unwrap_or_default();
            for (slug, other) in &share.refused {
                if active.share.refused.get(slug) != Some(other) {
                    let (file, reason) = (super::file_name(&active.file), refusal(slug, other));
                    tracing::warn!(plugin, file, slug, reason, "a protocol of a plugin is refused");
                    metrics::counter!("portolan_plugin_rejections_total", "step" => "slug").increment(1);
                }
            }
            active.share = share;
        }
        self.note_shares();
    }

    /// Records in the known good set which plugin serves which protocol.
    fn note_shares(&mut self) {
        for (plugin, slot) in &self.plugin_table {
            let Some(active) = &slot.active else { continue };
            let held: BTreeSet<&str> = active.share.slugs().collect();
            let mut serves = GoodProtocol::all(&active.instance.catalogue);
            serves.retain(|protocol| held.contains(protocol.slug.as_str()));
            let known = self.known_good.get(plugin).map(|good| &good.current);
            if known.is_some_and(|known| known.digest == active.key.digest && known.serves != serves) {
                std::sync::Arc::make_mut(&mut self.known_good).note_serves(plugin, serves);
                self.is_set_changed = true;
            }
        }
    }
}

fn refusal(slug: &str, other: &str) -> String {
    format!("the protocol {slug} is already served by the plugin {other}: rename it, or remove one of the two plugins")
}

fn questions(served: &Served) -> impl Iterator<Item = Question> {
    served.deployments().flat_map(|row| row.questions.iter().copied())
}

/// A protocol without deployments counts as whole, as nothing shows its part.
fn part(mut questions: impl Iterator<Item = Question>) -> ServedPart {
    let Some(first) = questions.next() else { return ServedPart::Whole };
    let is_events = |question: Question| question == Question::EVENTS;
    if is_events(first) && questions.all(is_events) { ServedPart::EventsAlone } else { ServedPart::Whole }
}
