//! The capabilities of a build: what its catalogue lets it do. They are kept with the build, so that the next one is
//! known to ask for more.

use std::collections::BTreeSet;
use std::fmt;

use portolan_abi::map::{Catalogue, Deployment};
use portolan_validation::ClaimTemplates;
use serde::{Deserialize, Serialize};

/// Maximum new capabilities of a kind that a sentence names; the rest are counted.
const NAMED_MAX: usize = 8;

/// The capabilities of a build, deployments of the operator's settings left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Capabilities {
    /// Slugs of the protocols that it may answer for.
    pub(crate) protocols: BTreeSet<String>,
    /// Chain ids of its deployments.
    pub(crate) networks: BTreeSet<u64>,
    /// Off-chain hosts that it may read where the operator grants them.
    pub(crate) hosts: BTreeSet<String>,
    /// Functions that accounts may be asked to sign, with the values of constant arguments.
    pub(crate) functions: BTreeSet<String>,
    /// Views whose replies name further contracts that claims may call.
    pub(crate) lineages: BTreeSet<String>,
}

impl Capabilities {
    /// The capabilities of a catalogue; `is_of_settings` tells the operator's own deployments.
    pub(crate) fn of(
        catalogue: &Catalogue,
        templates: &ClaimTemplates,
        is_of_settings: impl Fn(&Deployment) -> bool,
    ) -> Self {
        let own = || catalogue.deployments.iter().filter(|row| !is_of_settings(row));
        Self {
            protocols: own().map(|row| row.protocol.clone()).collect(),
            networks: own().map(|row| row.chain_id).collect(),
            hosts: catalogue.hosts.iter().flatten().cloned().collect(),
            functions: templates.status().into_iter().map(|claim| claim.shown).collect(),
            lineages: templates.lineages().shown().into_iter().collect(),
        }
    }

    /// The capabilities that this build has and `before` has not; `None` if there are none.
    pub(crate) fn beyond(&self, before: &Self) -> Option<Self> {
        fn beyond<T: Clone + Ord>(now: &BTreeSet<T>, before: &BTreeSet<T>) -> BTreeSet<T> {
            now.difference(before).cloned().collect()
        }
        let added = Self {
            protocols: beyond(&self.protocols, &before.protocols),
            networks: beyond(&self.networks, &before.networks),
            hosts: beyond(&self.hosts, &before.hosts),
            functions: beyond(&self.functions, &before.functions),
            lineages: beyond(&self.lineages, &before.lineages),
        };
        (added != Self::default()).then_some(added)
    }

    /// A line for each kind that has any: what it is, and its names.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, Vec<String>)> {
        let texts = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>();
        let networks = self.networks.iter().map(u64::to_string).collect();
        let lines = [
            ("answers for", texts(&self.protocols)),
            ("reads on the chains", networks),
            ("reads the hosts", texts(&self.hosts)),
            ("asks to sign", texts(&self.functions)),
            ("finds targets by", texts(&self.lineages)),
        ];
        lines.into_iter().filter(|(_, names)| !names.is_empty())
    }
}

impl fmt::Display for Capabilities {
    /// One bounded line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clause = |(kind, names): (&str, Vec<String>)| {
            let (named, more) = names.split_at(names.len().min(NAMED_MAX));
            let rest = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            format!("{kind} {}{rest}", named.join(", "))
        };
        f.write_str(&self.lines().map(clause).collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(slugs: &[&str], chain_ids: &[u64]) -> Capabilities {
        let row = |slug: &&str, chain_id: u64| Deployment { protocol: (*slug).into(), chain_id, ..Default::default() };
        let rows = slugs.iter().zip(chain_ids).map(|(slug, chain_id)| row(slug, *chain_id));
        let catalogue = Catalogue { deployments: rows.collect(), ..Catalogue::default() };
        Capabilities::of(&catalogue, &ClaimTemplates::all_allowed(&catalogue), |row| row.chain_id == 10)
    }

    #[test]
    fn a_build_that_asks_for_no_more_has_nothing_new() {
        let before = of(&["a", "b"], &[1, 137]);
        assert_eq!(before.beyond(&before), None);
        assert_eq!(of(&["a"], &[137]).beyond(&before), None, "less is not more");
    }

    #[test]
    fn what_a_build_asks_for_beyond_the_one_before_is_named() {
        let added = of(&["a", "c"], &[1, 56]).beyond(&of(&["a", "b"], &[1, 137])).unwrap();
        assert_eq!(added.to_string(), "answers for c; reads on the chains 56");
    }

    #[test]
    fn deployments_of_the_operators_settings_ask_for_nothing() {
        assert_eq!(of(&["a", "b"], &[1, 10]), of(&["a"], &[1]));
    }

    #[test]
    fn many_are_counted() {
        let slugs: Vec<String> = (10..22).map(|number| format!("p{number}")).collect();
        let all = of(&slugs.iter().map(String::as_str).collect::<Vec<_>>(), &[1; 12]);
        assert_eq!(
            all.to_string(),
            "answers for p10, p11, p12, p13, p14, p15, p16, p17 and 4 more; reads on the chains 1"
        );
    }
}
