//! The addresses that a job's claims may name: contracts of the catalogue, and addresses that these named.
//!
//! Invariant: an address is trusted only by what a contract answered at the pinned block. A cached reply makes it a
//! candidate: the read that named it is made again, in a batch that leaves anyway where one mentions the candidate.

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use portolan_abi::map;
use portolan_reader::{Freshness, Outcome, Read, Reply};

/// Addresses that a job's contracts named; a factory with 10,000 markets names two each.
const ADDRESSES_MAX: usize = 50_000;

/// The bytes of a function's selector.
const SELECTOR: usize = 4;

/// What a job may trust.
#[derive(Debug, Default)]
pub(super) struct TrustedAddresses {
    catalogued: BTreeSet<Address>,
    trusted: BTreeSet<Address>,
    /// Candidates, each with the place of the read that named it first.
    candidates: BTreeMap<Address, usize>,
    /// The reads whose cached replies named candidates.
    cached: Vec<Read>,
}

/// Reads that are made again, and the candidates that they have to name.
#[derive(Debug, Default)]
pub(super) struct Recheck {
    places: Vec<usize>,
    candidates: Vec<Address>,
}

impl TrustedAddresses {
    pub(super) fn new(catalogued: BTreeSet<Address>) -> Self {
        Self { trusted: catalogued.clone(), catalogued, ..Self::default() }
    }

    /// Whether this contract's word makes addresses trusted.
    pub(super) fn is_catalogued(&self, contract: Address) -> bool {
        self.catalogued.contains(&contract)
    }

    /// Takes the addresses in what a catalogued contract replied.
    pub(super) fn take(&mut self, read: Read, reply: &Reply) {
        let Outcome::Ok(bytes) = &reply.outcome else { return };
        let is_at_block = read.freshness == Freshness::Pinned || !reply.cached;
        let room = ADDRESSES_MAX.saturating_sub(self.trusted.len() + self.candidates.len());
        if is_at_block {
            self.trusted.extend(addresses(bytes).take(room));
            return;
        }
        let mut named = addresses(bytes).filter(|address| !self.trusted.contains(address)).take(room).peekable();
        if named.peek().is_some() {
            let place = self.cached.len();
            for address in named {
                self.candidates.entry(address).or_insert(place);
            }
            self.cached.push(read);
        }
    }

    /// The recheck of all candidates that these reads mention, as their target or in their calldata.
    pub(super) fn mentioned_by(&self, reads: impl Iterator<Item = Read>) -> Recheck {
        if self.candidates.is_empty() {
            return Recheck::default();
        }
        let mentioned = reads.flat_map(|read| {
            let words: Vec<Address> = read.data.get(SELECTOR..).map(addresses).into_iter().flatten().collect();
            words.into_iter().chain([read.to])
        });
        self.recheck(mentioned)
    }

    /// The recheck of all candidates that the claims of these findings name.
    pub(super) fn claimed_by(&self, findings: &[map::Finding]) -> Recheck {
        let claims = findings.iter().filter_map(|finding| Some(&finding.claimable.as_ref()?.claim));
        self.recheck(claims.flat_map(|claim| addresses(&claim.arguments).chain([claim.to])))
    }

    fn recheck(&self, addresses: impl Iterator<Item = Address>) -> Recheck {
        let is_open = |address: &Address| self.candidates.contains_key(address) && !self.trusted.contains(address);
        let candidates: BTreeSet<Address> = addresses.filter(is_open).collect();
        let places: BTreeSet<usize> = candidates.iter().filter_map(|one| self.candidates.get(one)).copied().collect();
        Recheck { places: places.into_iter().collect(), candidates: candidates.into_iter().collect() }
    }

    /// The reads of a recheck, at the pinned block.
    pub(super) fn reads(&self, recheck: &Recheck) -> Vec<Read> {
        let again = |place: &usize| Some(self.cached.get(*place)?.clone().fresh(Freshness::Pinned));
        recheck.places.iter().filter_map(again).collect()
    }

    /// Takes the replies to a recheck's reads.
    ///
    /// # Errors
    /// The reads whose cached replies named a candidate that their contract does not name at the pinned block. A
    /// candidate whose read failed stays one.
    pub(super) fn confirm(&mut self, recheck: &Recheck, replies: &[Reply]) -> Result<(), Vec<Read>> {
        let mut failed = BTreeSet::new();
        for (place, reply) in recheck.places.iter().zip(replies) {
            match &reply.outcome {
                Outcome::Ok(bytes) => self.trusted.extend(addresses(bytes)),
                Outcome::Failed(_) | Outcome::OverBudget => drop(failed.insert(*place)),
                _ => {}
            }
        }
        let refuted = recheck.candidates.iter().filter(|candidate| !self.trusted.contains(*candidate));
        let places: BTreeSet<usize> = refuted
            .filter_map(|one| self.candidates.get(one))
            .filter(|place| !failed.contains(*place))
            .copied()
            .collect();
        let reads: Vec<Read> = places.into_iter().filter_map(|place| self.cached.get(place).cloned()).collect();
        if reads.is_empty() { Ok(()) } else { Err(reads) }
    }

    /// The addresses that are trusted in the end.
    pub(super) fn into_trusted(self) -> BTreeSet<Address> {
        self.trusted
    }
}

impl Recheck {
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// The words of ABI-encoded bytes that can be addresses: twelve zero bytes, then one that no small number has.
fn addresses(bytes: &[u8]) -> impl Iterator<Item = Address> + '_ {
    let words = bytes.chunks_exact(32).map(|word| word.split_at(12));
    let addresses = words.filter(|(zeros, address)| zeros.iter().all(|byte| *byte == 0) && address[..8] != [0; 8]);
    addresses.map(|(_, address)| Address::from_slice(address))
}

#[cfg(test)]
mod tests {
    use portolan_reader::ReadFailure;

    use super::*;

    const FACTORY: Address = Address::repeat_byte(0xfc);
    const FARM: Address = Address::repeat_byte(0xfa);
    const OTHER: Address = Address::repeat_byte(0x66);

    fn returning(address: Address) -> Outcome {
        Outcome::Ok(address.into_word().to_vec().into())
    }

    fn cached(address: Address) -> Reply {
        Reply { outcome: returning(address), cached: true, age_s: 0 }
    }

    fn entry() -> Read {
        Read::call(FACTORY, [1, 2, 3, 4]).fresh(Freshness::Immutable)
    }

    fn with(reply: &Reply) -> TrustedAddresses {
        let mut trusted = TrustedAddresses::new([FACTORY].into());
        trusted.take(entry(), reply);
        trusted
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
    fn what_was_read_at_the_block_is_trusted_at_once() {
        for (read, reply) in
            [(entry(), Reply::fresh(returning(FARM))), (entry().fresh(Freshness::Pinned), cached(FARM))]
        {
            let mut trusted = TrustedAddresses::new([FACTORY].into());
            trusted.take(read, &reply);
            assert_eq!(trusted.into_trusted(), [FACTORY, FARM].into());
        }
    }

    #[test]
    fn a_cached_reply_is_rechecked_where_a_read_mentions_what_it_named() {
        let trusted = with(&cached(FARM));
        let earned = Read::call(FARM, [9, 9, 9, 9]);
        let about = Read::call(OTHER, [&[9, 9, 9, 9][..], FARM.into_word().as_slice()].concat());
        for (read, rechecks) in
            [(earned, 1), (about, 1), (Read::call(OTHER, [9, 9, 9, 9]), 0), (Read::call(OTHER, []), 0)]
        {
            let recheck = trusted.mentioned_by([read.clone()].into_iter());
            assert_eq!(trusted.reads(&recheck), vec![entry().fresh(Freshness::Pinned); rechecks], "{read:?}");
        }
        assert_eq!(trusted.into_trusted(), [FACTORY].into(), "and not trusted before");
    }

    #[test]
    fn a_candidate_is_trusted_where_its_read_names_it_again_and_refuted_where_it_does_not() {
        for (now, is_trusted, is_refuted) in [
            (returning(FARM), true, false),
            (returning(OTHER), false, true),
            (Outcome::Reverted([].into()), false, true),
            (Outcome::NoCode, false, true),
            (Outcome::Failed(ReadFailure::Timeout), false, false),
        ] {
            let mut trusted = with(&cached(FARM));
            let claim = map::Claim { to: FARM, ..map::Claim::default() };
            let finding = map::Claimable { claim, ..map::Claimable::default() };
            let recheck = trusted.claimed_by(&[map::Finding { claimable: Some(finding), ..map::Finding::default() }]);
            let refuted = trusted.confirm(&recheck, &[Reply::fresh(now.clone())]);
            assert_eq!(refuted, if is_refuted { Err(vec![entry()]) } else { Ok(()) }, "{now:?}");
            assert_eq!(trusted.into_trusted().contains(&FARM), is_trusted, "{now:?}");
        }
    }
}
