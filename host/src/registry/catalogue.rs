//! The catalogue of a plugin, as this host serves it.
//!
//! Invariant: a checked catalogue passed [`validate_catalogue`], each deployment is on a known network, and its questions
//! are those that the plugin's capabilities cover.

use portolan_abi::map::{Catalogue, Protocol};
use portolan_abi::{Question, capability};
use portolan_validation::{CatalogueError, validate_catalogue};

use super::manifest::Manifest;
use crate::network::Networks;
use crate::registry::{logos, protocol};
use crate::sanitize::text::Text;
use crate::sanitize::web_url::WebUrl;

/// Questions that came after the first revision, each with the capability that guards it.
const GUARDED: [(Question, u64); 2] =
    [(Question::COMPOSITION, capability::COMPOSITION), (Question::EVENTS, capability::EVENTS)];

/// Decodes and checks a catalogue; deployments on unknown chains are logged and left out, and so are
/// questions that the plugin's capabilities do not cover.
pub(crate) fn check(bytes: &[u8], networks: &Networks, manifest: &Manifest) -> Result<Catalogue, CatalogueError> {
    let plugin = manifest.plugin.as_str();
    let mut catalogue = validate_catalogue(bytes)?;
    catalogue.deployments.retain(|deployment| {
        let known = networks.with_chain_id(deployment.chain_id).is_some();
        if !known {
            let (protocol, chain_id) = (deployment.protocol.as_str(), deployment.chain_id);
            tracing::debug!(plugin, protocol, chain_id, "a deployment is on a chain that is not configured");
        }
        known
    });
    let is_covered = |question: &Question| {
        GUARDED.iter().all(|(guarded, capability)| question != guarded || manifest.capabilities & capability != 0)
    };
    catalogue.deployments.iter_mut().for_each(|deployment| deployment.questions.retain(is_covered));
    catalogue.event_topics = catalogue.event_topics.filter(|_| is_covered(&Question::EVENTS));
    Ok(catalogue)
}

/// A protocol as answers show it.
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
    use portolan_abi::map::{Company, Deployment};

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
        check(&codec::encode(catalogue), &Networks::new([]), &manifest(capabilities)).unwrap()
    }

    #[test]
    fn deployments_on_unknown_chains_are_left_out() {
        let mut declared = catalogue();
        declared.deployments.push(Deployment { chain_id: 999_999, ..declared.deployments[0].clone() });
        assert_eq!(checked(&declared, capability::ALL), catalogue());
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
        // An interface of revision 2 announced the first two bits, of revision 3 the third.
        assert_eq!(served(0b0011), (vec![Question::FARMING], None));
        assert_eq!(served(0b0111), (vec![Question::FARMING, Question::COMPOSITION], None));
        assert_eq!(served(0b1111), (declared.deployments[0].questions.clone(), declared.event_topics.clone()));
    }

    #[test]
    fn a_protocol_without_logo_gets_one_of_its_slug() {
        let shown = shown(&catalogue().protocols[0]);
        assert_eq!(shown.logo.to_string(), "http://127.0.0.1:8080/logos/protocol/acme.svg");
    }
}
