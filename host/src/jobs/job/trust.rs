//! The addresses that a job's findings may name, verified where they came from the cache.
//!
//! Invariant: an address counts only if a contract returned it at the pinned block. An address from a cached reply is
//! a candidate. If a batch mentions it, the read that gave it is repeated in that batch.

use std::collections::{BTreeSet, HashMap, HashSet};

use alloy::primitives::Address;
use portolan_abi::map;
use portolan_reader::{Freshness, Outcome, Read, ReadSet, Reply};
use portolan_validation::{Addresses, ClaimReads, Lineages, Use, ViewReply};

/// Maximum number of candidates of a job; a factory with 10,000 markets gives two each.
const CANDIDATES_MAX: usize = 50_000;

/// Maximum passes over a batch whose views depend on each other, if they come in the worst order.
const NESTING_MAX: usize = 8;

/// Bytes of a function selector, and of an ABI word.
const SELECTOR: usize = 4;
const WORD: usize = 32;

/// Addresses that a job may trust, and the candidates.
#[derive(Debug)]
pub(super) struct TrustedAddresses<'a> {
    lineages: &'a Lineages,
    trusted: Addresses,
    /// Candidates by address, each with its uses and the index of the first read that gave it.
    candidates: HashMap<Address, Vec<(Use, usize)>>,
    /// Number of candidates.
    count: usize,
    /// Reads whose replies gave candidates.
    sources: Vec<Read>,
}

/// Reads to repeat, and the candidates that they must give again.
#[derive(Debug, Default)]
pub(super) struct Recheck {
    places: Vec<usize>,
    candidates: Vec<(Use, Address)>,
}

impl<'a> TrustedAddresses<'a> {
    pub(super) fn new(lineages: &'a Lineages, listed: Addresses) -> Self {
        Self { lineages, trusted: listed, candidates: HashMap::new(), count: 0, sources: Vec::new() }
    }

    /// Returns true if the reply to this read gives addresses once its contract is known.
    pub(super) fn may_give(&self, read: &Read) -> bool {
        self.lineages.are_of(&read.data)
    }

    /// Takes the addresses that a batch of reads gave, for which [`Self::may_give`] is true. Returns the reads whose
    /// contracts are unknown: a later reply may make them known.
    pub(super) fn take(&mut self, batch: Vec<(Read, Reply)>) -> Vec<(Read, Reply)> {
        let answered = batch.into_iter().filter(|(_, reply)| matches!(reply.outcome, Outcome::Ok(_)));
        let is_at_block = |(read, reply): &(Read, Reply)| is_at_block(read, reply);
        let (at_block, mut candidates): (Vec<_>, Vec<_>) = answered.partition(is_at_block);
        let open = self.give_all(&at_block);
        candidates.extend(open.into_iter().filter_map(|place| at_block.get(place).cloned()));
        for _ in 0..NESTING_MAX {
            let count = candidates.len();
            candidates.retain(|(read, reply)| !self.take_candidates(read, returned(reply)));
            if candidates.len() == count {
                break;
            }
        }
        candidates
    }

    fn give_all(&mut self, answered: &[(Read, Reply)]) -> Vec<usize> {
        let views = answered.iter();
        let views =
            views.map(|(read, reply)| ViewReply { contract: read.to, data: &read.data, reply: returned(reply) });
        let views: Vec<_> = views.collect();
        self.trusted.give_all(self.lineages, &views)
    }

    /// Takes what the read returned as candidates, if its contract is trusted or a candidate; false otherwise.
    fn take_candidates(&mut self, read: &Read, reply: &[u8]) -> bool {
        let is_listed = self.trusted.is_listed(read.to);
        let is_candidate = |usable_as| self.source(usable_as, read.to).is_some();
        if !is_listed
            && !self.trusted.is_given_contract(read.to)
            && ![Use::Target, Use::Market].iter().copied().any(is_candidate)
        {
            return false;
        }
        let room = CANDIDATES_MAX.saturating_sub(self.count);
        let given = self.lineages.given(is_listed, &read.data, reply).take(room);
        let mut open = given.filter(|given| !self.trusted.is_given(given.usable_as, given.address)).peekable();
        if open.peek().is_some() {
            let place = self.sources.len();
            for given in open {
                let uses = self.candidates.entry(given.address).or_default();
                if uses.iter().all(|(usable_as, _)| *usable_as != given.usable_as) {
                    uses.push((given.usable_as, place));
                    self.count += 1;
                }
            }
            self.sources.push(read.clone());
        }
        true
    }

    /// Returns the index of the first read that gave a candidate.
    fn source(&self, usable_as: Use, address: Address) -> Option<usize> {
        let uses = self.candidates.get(&address)?;
        uses.iter().find_map(|(own, place)| (*own == usable_as).then_some(*place))
    }

    /// Returns the recheck of all candidates that these reads mention, as target or in calldata.
    pub(super) fn mentioned_by(&self, reads: &ReadSet) -> Recheck {
        if self.candidates.is_empty() {
            return Recheck::default();
        }
        let mentioned = reads.rows().flat_map(|(places, like)| {
            let words = like.data.get(SELECTOR..).map(addresses).into_iter().flatten();
            words.chain(reads.targets(places).iter().copied())
        });
        self.recheck(mentioned)
    }

    /// Returns the recheck of all candidates that claims of these findings name, whose replies about the account have
    /// what claims name, or that compositions are about.
    pub(super) fn named_by(&self, findings: &[map::Finding], reads: &ClaimReads) -> Recheck {
        if self.candidates.is_empty() {
            return Recheck::default();
        }
        let calls: Vec<_> = claim_calls(findings).collect();
        let named = calls.iter().flat_map(|(to, arguments)| addresses(arguments).chain([*to]));
        // Most replies about an account are zero, and name nothing.
        let words = calls.iter().flat_map(|(_, arguments)| arguments.as_chunks::<WORD>().0);
        let words: HashSet<_> = words.copied().filter(|word| *word != [0; WORD]).collect();
        // Most answers claim nothing: their reads are not searched.
        let of_reads = (!words.is_empty()).then(|| reads.contracts_with(&words)).into_iter().flatten();
        let composed = findings.iter().filter_map(|finding| finding.composition.as_ref()).map(|found| found.token);
        self.recheck(named.chain(of_reads).chain(composed))
    }

    fn recheck(&self, addresses: impl Iterator<Item = Address>) -> Recheck {
        let mut candidates: BTreeSet<(Use, Address)> = BTreeSet::new();
        let mut places = BTreeSet::new();
        // A contract that a view gave counts only if the view's own contract does.
        let mut open: Vec<Address> = addresses.filter(|address| self.candidates.contains_key(address)).collect();
        while let Some(address) = open.pop() {
            for (usable_as, place) in self.candidates.get(&address).into_iter().flatten() {
                let Some(source) = self.sources.get(*place) else { continue };
                if !self.trusted.is_given(*usable_as, address) && candidates.insert((*usable_as, address)) {
                    places.insert(*place);
                    open.push(source.to);
                }
            }
        }
        Recheck { places: places.into_iter().collect(), candidates: candidates.into_iter().collect() }
    }

    /// Returns the reads of a recheck, at the pinned block.
    pub(super) fn reads(&self, recheck: &Recheck) -> Vec<Read> {
        let again = |place: &usize| Some(self.sources.get(*place)?.clone().fresh(Freshness::Proven));
        recheck.places.iter().filter_map(again).collect()
    }

    /// Takes the replies to a recheck's reads.
    ///
    /// # Errors
    /// Returns the reads whose cached reply gave a candidate that the contract does not give at the pinned block. If
    /// the read failed, its candidate remains one.
    pub(super) fn confirm(&mut self, recheck: &Recheck, replies: &[Reply]) -> Result<(), Vec<Read>> {
        let mut failed = BTreeSet::new();
        let mut answered = Vec::new();
        for (place, reply) in recheck.places.iter().zip(replies) {
            match &reply.outcome {
                Outcome::Ok(_) => answered.extend(self.sources.get(*place).cloned().zip(Some(reply.clone()))),
                Outcome::Failed(_) | Outcome::OverBudget => drop(failed.insert(*place)),
                _ => {}
            }
        }
        let open: Vec<&Read> =
            self.give_all(&answered).into_iter().filter_map(|place| Some(&answered.get(place)?.0)).collect();
        // A view is not refuted either if its own contract could not be read again.
        let is_open = |read: &Read| open.contains(&read);
        let unread = |place: &usize| failed.contains(place) || self.sources.get(*place).is_some_and(is_open);
        let refuted = recheck.candidates.iter().filter(|(usable_as, one)| !self.trusted.is_given(*usable_as, *one));
        let places: BTreeSet<usize> = refuted
            .filter_map(|(usable_as, one)| self.source(*usable_as, *one))
            .filter(|place| !unread(place))
            .collect();
        let reads: Vec<Read> = places.into_iter().filter_map(|place| self.sources.get(place).cloned()).collect();
        if reads.is_empty() { Ok(()) } else { Err(reads) }
    }

    /// Returns the addresses that findings may name.
    pub(super) fn into_addresses(self) -> Addresses {
        self.trusted
    }
}

impl Recheck {
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// Returns true if this gateway's endpoints gave the reply at the pinned block.
pub(super) fn is_at_block(read: &Read, reply: &Reply) -> bool {
    !reply.shared && (read.freshness == Freshness::Pinned || !reply.cached)
}

/// Iterates over the targets and arguments of all calls of claims.
fn claim_calls(findings: &[map::Finding]) -> impl Iterator<Item = (Address, &Vec<u8>)> {
    let steps = findings.iter().filter_map(|finding| finding.claimable.as_ref()).flat_map(|found| &found.steps);
    steps.flat_map(|step| {
        let mergeable = step.mergeable.as_ref().map(|call| (call.to, &call.arguments));
        [(step.to, &step.arguments)].into_iter().chain(mergeable)
    })
}

/// Returns the words of ABI-encoded bytes that may be addresses: twelve zero bytes, then more than a small number.
fn addresses(bytes: &[u8]) -> impl Iterator<Item = Address> + '_ {
    let words = bytes.chunks_exact(32).map(|word| word.split_at(12));
    let addresses = words.filter(|(zeros, address)| zeros.iter().all(|byte| *byte == 0) && address[..8] != [0; 8]);
    addresses.map(|(_, address)| Address::from_slice(address))
}

/// Returns the bytes that a call returned; empty if it failed.
fn returned(reply: &Reply) -> &[u8] {
    if let Outcome::Ok(bytes) = &reply.outcome { bytes } else { &[] }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::keccak256;
    use portolan_abi::map::{Catalogue, Deployment, lineage};
    use portolan_reader::ReadFailure;

    use super::*;

    const FACTORY: Address = Address::repeat_byte(0xfc);
    const FARM: Address = Address::repeat_byte(0xfa);
    const INNER: Address = Address::repeat_byte(0x1a);
    const OTHER: Address = Address::repeat_byte(0x66);

    /// `farm()` of the factory gives a target, and `inner()` of a farm gives another.
    fn lineages() -> Lineages {
        let view = |view: &str| map::Lineage { view: view.to_owned(), gives: lineage::TARGET, ..Default::default() };
        Lineages::parse(&[view("farm()"), view("inner()").of_given()]).unwrap()
    }

    fn listed() -> Addresses {
        let row = Deployment { protocol: "acme".to_owned(), contracts: vec![FACTORY], ..Deployment::default() };
        Addresses::listed(&Catalogue { deployments: vec![row], ..Catalogue::default() }, "acme", 0, |_| false)
    }

    fn returning(address: Address) -> Outcome {
        Outcome::Ok(address.into_word().to_vec().into())
    }

    fn cached(address: Address) -> Reply {
        Reply { cached: true, ..Reply::fresh(returning(address)) }
    }

    fn no_reads() -> ClaimReads {
        ClaimReads::new(Address::repeat_byte(0xac))
    }

    fn view(contract: Address, name: &str) -> Read {
        Read::call(contract, keccak256(name)[..4].to_vec()).fresh(Freshness::Immutable)
    }

    fn entry() -> Read {
        view(FACTORY, "farm()")
    }

    fn with<'a>(lineages: &'a Lineages, reply: &Reply) -> TrustedAddresses<'a> {
        let mut trusted = TrustedAddresses::new(lineages, listed());
        assert!(trusted.may_give(&entry()));
        trusted.take(vec![(entry(), reply.clone())]);
        trusted
    }

    fn claim(to: Address) -> Vec<map::Finding> {
        let step = map::Claim { to, ..map::Claim::default() };
        vec![map::Claimable { steps: vec![step], ..map::Claimable::default() }.into()]
    }

    #[test]
    fn addresses_are_taken_from_aligned_words_and_small_numbers_are_none() {
        let mut bytes = vec![0; 12];
        bytes.extend([0x11; 20]);
        bytes.extend([0; 31]);
        bytes.push(200);
        bytes.extend([0xff; 32]);
        bytes.extend([0; 12]);
        assert_eq!(addresses(&bytes).collect::<Vec<_>>(), [Address::repeat_byte(0x11)]);
    }

    #[test]
    fn what_was_read_at_the_block_counts_at_once() {
        let lineages = lineages();
        for (read, reply) in
            [(entry(), Reply::fresh(returning(FARM))), (entry().fresh(Freshness::Pinned), cached(FARM))]
        {
            let mut trusted = TrustedAddresses::new(&lineages, listed());
            trusted.take(vec![(read, reply)]);
            assert!(trusted.into_addresses().is_given(Use::Target, FARM));
        }
    }

    #[test]
    fn what_another_gateway_read_counts_once_it_is_read_again() {
        let lineages = lineages();
        let mut trusted = TrustedAddresses::new(&lineages, listed());
        let shared = Reply { shared: true, ..cached(FARM) };
        trusted.take(vec![(entry().fresh(Freshness::Pinned), shared)]);
        let recheck = trusted.named_by(&claim(FARM), &no_reads());
        assert_eq!(trusted.reads(&recheck), [entry().fresh(Freshness::Proven)]);
        assert_eq!(trusted.confirm(&recheck, &[Reply::fresh(returning(FARM))]), Ok(()));
        assert!(trusted.into_addresses().is_given(Use::Target, FARM));
    }

    #[test]
    fn only_declared_views_of_known_contracts_give_anything() {
        let lineages = lineages();
        for read in [view(OTHER, "farm()"), view(FACTORY, "owner()"), view(FARM, "inner()")] {
            for cached in [false, true] {
                let mut trusted = TrustedAddresses::new(&lineages, listed());
                trusted.take(vec![(read.clone(), Reply { cached, ..Reply::fresh(returning(INNER)) })]);
                assert!(trusted.named_by(&claim(INNER), &no_reads()).is_empty(), "{read:?}");
                assert!(!trusted.into_addresses().is_given(Use::Target, INNER), "{read:?}");
            }
        }
    }

    #[test]
    fn the_reads_of_a_batch_count_in_any_order() {
        let lineages = lineages();
        let (first, second) = ((entry(), FARM), (view(FARM, "inner()"), INNER));
        for batch in [[&first, &second], [&second, &first]] {
            for cached in [false, true] {
                let mut trusted = TrustedAddresses::new(&lineages, listed());
                let reply = |address: Address| Reply { cached, ..Reply::fresh(returning(address)) };
                trusted.take(batch.map(|(read, address)| (read.clone(), reply(*address))).into());
                let recheck = trusted.named_by(&claim(INNER), &no_reads());
                assert_eq!(trusted.reads(&recheck).len(), if cached { 2 } else { 0 });
                let returned = |read: &Read| Reply::fresh(returning(if read.to == FACTORY { FARM } else { INNER }));
                let replies: Vec<Reply> = trusted.reads(&recheck).iter().map(returned).collect();
                assert_eq!(trusted.confirm(&recheck, &replies), Ok(()));
                assert!(trusted.into_addresses().is_given(Use::Target, INNER));
            }
        }
    }

    #[test]
    fn a_cached_reply_is_rechecked_where_a_read_mentions_what_it_gave() {
        let lineages = lineages();
        let trusted = with(&lineages, &cached(FARM));
        let earned = Read::call(FARM, [9, 9, 9, 9]);
        let about = Read::call(OTHER, [&[9, 9, 9, 9][..], FARM.into_word().as_slice()].concat());
        for (read, rechecks) in
            [(earned, 1), (about, 1), (Read::call(OTHER, [9, 9, 9, 9]), 0), (Read::call(OTHER, []), 0)]
        {
            let recheck = trusted.mentioned_by(&vec![read.clone()].into());
            assert_eq!(trusted.reads(&recheck), vec![entry().fresh(Freshness::Proven); rechecks], "{read:?}");
        }
        assert!(!trusted.into_addresses().is_given(Use::Target, FARM), "and does not count before");
    }

    #[test]
    fn a_candidate_counts_where_its_read_gives_it_again_and_is_refuted_where_it_does_not() {
        let lineages = lineages();
        for (now, counts, is_refuted) in [
            (returning(FARM), true, false),
            (returning(OTHER), false, true),
            (Outcome::Reverted([].into()), false, true),
            (Outcome::NoCode, false, true),
            (Outcome::Failed(ReadFailure::Timeout), false, false),
        ] {
            let mut trusted = with(&lineages, &cached(FARM));
            let recheck = trusted.named_by(&claim(FARM), &no_reads());
            let refuted = trusted.confirm(&recheck, &[Reply::fresh(now.clone())]);
            assert_eq!(refuted, if is_refuted { Err(vec![entry()]) } else { Ok(()) }, "{now:?}");
            assert_eq!(trusted.into_addresses().is_given(Use::Target, FARM), counts, "{now:?}");
        }
    }

    #[test]
    fn the_token_of_a_composition_is_rechecked() {
        let lineages = lineages();
        let composed = |token| vec![map::Composition { token, ..map::Composition::default() }.into()];
        let mut trusted = with(&lineages, &cached(FARM));
        assert!(trusted.named_by(&composed(OTHER), &no_reads()).is_empty());
        let recheck = trusted.named_by(&composed(FARM), &no_reads());
        assert_eq!(trusted.confirm(&recheck, &[Reply::fresh(returning(FARM))]), Ok(()));
        assert!(trusted.into_addresses().is_given(Use::Target, FARM));
    }

    #[test]
    fn what_a_candidate_gave_counts_only_with_the_candidate() {
        let lineages = lineages();
        for (farm_now, counts) in [(FARM, true), (OTHER, false)] {
            let mut trusted = with(&lineages, &cached(FARM));
            // At the pinned block, but from a contract that only a cached reply gave.
            trusted.take(vec![(view(FARM, "inner()"), Reply::fresh(returning(INNER)))]);
            let recheck = trusted.named_by(&claim(INNER), &no_reads());
            let replies: Vec<Reply> = trusted
                .reads(&recheck)
                .iter()
                .map(|read| Reply::fresh(returning(if read.to == FACTORY { farm_now } else { INNER })))
                .collect();
            assert_eq!(replies.len(), 2);
            assert_eq!(trusted.confirm(&recheck, &replies).is_ok(), counts);
            assert_eq!(trusted.into_addresses().is_given(Use::Target, INNER), counts);
        }
    }
}
