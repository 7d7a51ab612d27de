//! The catalogue of a plugin, restricted to what this host serves.
//!
//! Invariant: a checked catalogue passed [`validate_catalogue`], each deployment is on a known network, and its
//! questions are covered by the plugin's capabilities.

use std::collections::BTreeSet;

use portolan_abi::map::{Catalogue, Deployment, Protocol};
use portolan_abi::{Question, capability};
use portolan_base::network::Networks;
use portolan_base::sanitize::text::Text;
use portolan_base::sanitize::web_url::WebUrl;
use portolan_validation::{CatalogueError, validate_catalogue};

use crate::files::manifest::Manifest;
use crate::{logos, protocol};

/// Questions added after the first revision, each with the capability that guards it.
const GUARDED: [(Question, u64); 2] =
    [(Question::COMPOSITION, capability::COMPOSITION), (Question::EVENTS, capability::EVENTS)];

/// A checked catalogue, and the chains that were left out.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) catalogue: Catalogue,
    /// Chain ids of deployments that were left out because this host does not know the chain.
    pub(crate) unknown_networks: BTreeSet<u64>,
}

/// Decodes and checks a catalogue. Leaves out deployments on unknown chains, with a log line each, and questions that
/// the plugin's capabilities do not cover.
pub(crate) fn check(bytes: &[u8], networks: &Networks, manifest: &Manifest) -> Result<Checked, CatalogueError> {
    let mut catalogue = validate_catalogue(bytes)?;
    let is_known = |deployment: &Deployment| networks.with_chain_id(deployment.chain_id).is_some();
    let unknown = catalogue.deployments.iter().filter(|deployment| !is_known(deployment));
    let unknown_networks: BTreeSet<u64> = unknown.map(|deployment| deployment.chain_id).collect();
    for chain_id in &unknown_networks {
        let plugin = manifest.plugin.as_str();
        tracing::warn!(
            plugin,
            chain_id,
            "deployments are left out, as no network has this chain id: correct their rows, or add [networks.SLUG]"
        );
    }
    catalogue.deployments.retain(is_known);
    let is_covered = |question: &Question| {
        GUARDED.iter().all(|(guarded, capability)| question != guarded || manifest.capabilities & capability != 0)
    };
    catalogue.deployments.iter_mut().for_each(|deployment| deployment.questions.retain(is_covered));
    catalogue.event_topics = catalogue.event_topics.filter(|_| is_covered(&Question::EVENTS));
    Ok(Checked { catalogue, unknown_networks })
}

/// Removes protocols and their deployments from a catalogue, and returns the slugs that were removed.
pub(crate) fn exclude(catalogue: &mut Catalogue, slugs: &BTreeSet<String>) -> BTreeSet<String> {
    let had = catalogue.protocols.extract_if(.., |protocol| slugs.contains(&protocol.slug));
    let had: BTreeSet<String> = had.map(|protocol| protocol.slug).collect();
    catalogue.deployments.retain(|row| !had.contains(&row.protocol));
    had
}

/// Converts a protocol to the form that answers show.
pub(crate) fn shown(protocol: &Protocol) -> protocol::Protocol {
    let logo = protocol.logo.clone().unwrap_or_else(|| logos::of_protocol(&protocol.slug));
    let (text, url) = (Text::words, |text: &str| WebUrl::parse(text).unwrap_or_default());
    protocol::Protocol {
        slug: protocol.slug.clone(),
        name: text(&protocol.name),
        website: url(&protocol.website),
        logo: url(&logo),
        primitives: protocol.primitives.clone(),
        company_name: text(&protocol.company.name),
        company_slug: text(&protocol.company.slug),
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::B256;
    use portolan_abi::codec;
    use portolan_abi::map::Company;

    use super::*;

    fn catalogue() -> Catalogue {
        let protocol = Protocol {
            slug: "acme".into(),
            name: "ACME".into(),
            website: "https://acme.example".into(),
            logo: None,
            primitives: vec!["FARMING".into()],
            company: Company { name: "Acme".into(), slug: "acme".into() },
        };
        let deployment =
            Deployment { protocol: "acme".into(), chain_id: 137, market: "main".into(), ..Deployment::default() };
        Catalogue { protocols: vec![protocol], deployments: vec![deployment], ..Catalogue::default() }
    }

    fn manifest(capabilities: u64) -> Manifest {
        let json = r#"{"plugin":"acme","version":"1","abi":"1.0.0","apiRev":5,"frames":[1],"panic":"unwind"}"#;
        Manifest { capabilities, ..Manifest::parse(json).unwrap() }
    }

    fn checked(catalogue: &Catalogue, capabilities: u64) -> Catalogue {
        check(&codec::encode(catalogue), &Networks::new([]), &manifest(capabilities)).unwrap().catalogue
    }

    #[test]
    fn deployments_on_unknown_chains_are_left_out_and_told() {
        let mut declared = catalogue();
        for chain_id in [999_999, 999_999, 999_998] {
            let market = format!("market {}", declared.deployments.len());
            declared.deployments.push(Deployment { chain_id, market, ..declared.deployments[0].clone() });
        }
        let checked = check(&codec::encode(&declared), &Networks::new([]), &manifest(capability::ALL)).unwrap();
        assert_eq!(checked.catalogue, catalogue());
        assert_eq!(checked.unknown_networks, BTreeSet::from([999_998, 999_999]));
    }

    #[test]
    fn a_question_goes_only_to_a_plugin_that_announces_its_capability() {
        let mut declared = catalogue();
        declared.deployments[0].questions = vec![Question::FARMING, Question::COMPOSITION, Question::EVENTS];
        declared.event_topics = Some(vec![B256::repeat_byte(7)]);
        let served = |capabilities| {
            let checked = checked(&declared, capabilities);
            (checked.deployments[0].questions.clone(), checked.event_topics)
        };
        // Revision 2 of the interface announced the first two bits, revision 3 the third.
        assert_eq!(served(0b0011), (vec![Question::FARMING], None));
        assert_eq!(served(0b0111), (vec![Question::FARMING, Question::COMPOSITION], None));
        assert_eq!(served(0b1111), (declared.deployments[0].questions.clone(), declared.event_topics.clone()));
    }

    #[test]
    fn what_the_operator_leaves_out_is_in_the_catalogue_no_more() {
        let mut declared = catalogue();
        assert!(exclude(&mut declared, &BTreeSet::from(["other".to_owned()])).is_empty());
        assert_eq!(declared, catalogue());
        let acme = BTreeSet::from(["acme".to_owned()]);
        assert_eq!(exclude(&mut declared, &acme), acme);
        assert!(declared.protocols.is_empty() && declared.deployments.is_empty());
    }

    #[test]
    fn a_protocol_without_logo_gets_one_of_its_slug() {
        let shown = shown(&catalogue().protocols[0]);
        assert_eq!(shown.logo.to_string(), "http://127.0.0.1:8080/logos/protocol/acme.svg");
    }
}
