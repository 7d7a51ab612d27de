//! Resolution of records: which contract knows a name, and what it says.
//!
//! Invariant: an answer is what the contracts of the pinned block say. Where the resolver of a name was found lately is
//! a guess that saves a round trip: it is checked in the same wave, and a wrong one costs another. Many names are asked
//! together, as one.

mod registry;
mod universal;

use std::ops::Range;

use alloy::primitives::{Address, Bytes};
use portolan_reader::{Outcome, Read};

use self::registry::{Registry, Seat};
use self::universal::Universal;
use super::chain::{Called, Chain};
use super::gateway::{GatewayFault, Gateways};
use super::name::Name;
use super::{Absence, NameFailure};

/// Records that are asked of one name.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) name: Name,
    /// Calls of the resolver's functions.
    pub(super) records: Vec<Vec<u8>>,
}

/// What was found of one name.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) resolver: Option<Address>,
    /// In the order of the question, as many.
    pub(super) records: Vec<Result<Record, NameFailure>>,
}

/// What the function of the resolver returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) data: Bytes,
    pub(super) via_gateway: bool,
}

/// Finds records.
#[derive(Debug)]
pub(super) struct Resolution {
    universal: Option<Universal>,
    registry: Registry,
    gateways: Gateways,
}

/// Where the search for one name has come to.
enum Search {
    Start,
    Seated(Seat),
    /// The calls whose results are the records.
    Calling(Source, Vec<Called>),
    Failed(NameFailure),
}

/// Who was called, and so how what it returned is wrapped.
#[derive(Clone, Copy)]
enum Source {
    Universal,
    /// A resolver's `resolve(bytes,bytes)`.
    Extended(Address),
    /// A resolver's own function.
    Plain(Address),
}

impl Resolution {
    pub(super) fn new(universal: Option<Address>, gateways: Gateways) -> Self {
        Self { universal: universal.map(Universal::new), registry: Registry::new(), gateways }
    }

    /// At most two round trips, and one where the resolvers are known or the Universal Resolver is; more where a
    /// gateway is asked, or where a guess was wrong.
    pub(super) async fn resolve(&self, chain: &Chain<'_>, questions: &[Question]) -> Vec<Answer> {
        let mut searches = self.first_wave(chain, questions).await;
        self.seat(chain, questions, &mut searches).await;
        self.call(chain, questions, &mut searches).await;
        let calls = searches.iter_mut().flat_map(|search| match search {
            Search::Calling(_, calls) => calls.iter_mut(),
            _ => [].iter_mut(),
        });
        chain.follow(&self.gateways, calls.collect()).await;
        searches.into_iter().zip(questions).map(|(search, question)| search.answer(question)).collect()
    }

    /// All that can be asked of each name at once. The registry is asked as well until the Universal Resolver is known
    /// to be there.
    async fn first_wave(&self, chain: &Chain<'_>, questions: &[Question]) -> Vec<Search> {
        let universal = self.universal.as_ref();
        let asks_registry = universal.is_none_or(|universal| !universal.has_answered());
        let mut wave = Wave::default();
        let asked: Vec<_> = questions
            .iter()
            .map(|question| {
                let of_universal = universal.map(|universal| (universal, wave.add(universal.calls(question))));
                let seats = asks_registry.then(|| wave.add(Registry::seats(&question.name)));
                let guess = seats.as_ref().and_then(|_| self.registry.guess(&question.name));
                let guess = guess.map(|seat| (seat, wave.add(seat.calls(question))));
                (of_universal, seats, guess)
            })
            .collect();
        let outcomes = wave.send(chain).await;
        let search = |(question, (of_universal, seats, guess)): (&Question, (Option<_>, Option<_>, Option<_>))| {
            if let Some((universal, place)) = of_universal
                && let Some(calls) = Universal::answer(universal, &outcomes[place])
            {
                return Search::Calling(Source::Universal, calls);
            }
            let Some(seats) = seats else { return Search::Start };
            match (Seat::of(&outcomes[seats]), guess) {
                (Ok(seat), Some((guess, place))) if seat == guess => self.called(question, seat, &outcomes[place]),
                (Ok(seat), _) => Search::Seated(seat),
                (Err(failure), _) => Search::Failed(failure),
            }
        };
        questions.iter().zip(asked).map(search).collect()
    }

    /// Asks the registry about the names that the Universal Resolver, there until now, did not answer.
    async fn seat(&self, chain: &Chain<'_>, questions: &[Question], searches: &mut [Search]) {
        let mut wave = Wave::default();
        let open = searches.iter_mut().zip(questions).filter(|(search, _)| matches!(search, Search::Start));
        let asked: Vec<_> =
            open.map(|(search, question)| (search, wave.add(Registry::seats(&question.name)))).collect();
        let outcomes = wave.send(chain).await;
        for (search, place) in asked {
            *search = Seat::of(&outcomes[place]).map_or_else(Search::Failed, Search::Seated);
        }
    }

    async fn call(&self, chain: &Chain<'_>, questions: &[Question], searches: &mut [Search]) {
        let mut wave = Wave::default();
        let open = searches.iter_mut().zip(questions).filter_map(|(search, question)| match search {
            Search::Seated(seat) => Some((*seat, search, question)),
            _ => None,
        });
        let asked: Vec<_> =
            open.map(|(seat, search, question)| (seat, search, question, wave.add(seat.calls(question)))).collect();
        let outcomes = wave.send(chain).await;
        for (seat, search, question, place) in asked {
            *search = self.called(question, seat, &outcomes[place]);
        }
    }

    fn called(&self, question: &Question, seat: Seat, outcomes: &[Outcome]) -> Search {
        self.registry.found(&question.name, seat);
        seat.called(question, outcomes)
    }
}

impl Search {
    fn answer(self, question: &Question) -> Answer {
        let lost = |failure: NameFailure| question.records.iter().map(|_| Err(failure)).collect();
        match self {
            Self::Failed(failure) => Answer { resolver: None, records: lost(failure) },
            // Every search has been called by now.
            Self::Start | Self::Seated(_) => Answer { resolver: None, records: lost(Absence::NoResolver.into()) },
            Self::Calling(source, calls) => {
                let mut resolver = source.resolver();
                let record = |call: Called| {
                    let (data, told_by) = match source.unwrap(&call) {
                        // The fault is the gateway's, and another time it may be none.
                        Err(NameFailure::Absent(Absence::Refused)) if call.via_gateway => {
                            return Err(GatewayFault::Rejected.into());
                        }
                        unwrapped => unwrapped?,
                    };
                    resolver = told_by;
                    Ok(Record { data, via_gateway: call.via_gateway })
                };
                let records = calls.into_iter().map(record).collect();
                Answer { resolver, records }
            }
        }
    }
}

impl Source {
    fn resolver(self) -> Option<Address> {
        match self {
            Self::Universal => None,
            Self::Extended(resolver) | Self::Plain(resolver) => Some(resolver),
        }
    }

    /// What the resolver's function returned, and whose it was.
    fn unwrap(self, call: &Called) -> Result<(Bytes, Option<Address>), NameFailure> {
        let (data, resolver) = match self {
            Self::Universal => Universal::unwrap(call)?,
            Self::Extended(resolver) => (registry::unwrap_extended(call)?, resolver),
            Self::Plain(resolver) => (registry::unwrap_plain(call)?, resolver),
        };
        if data.is_empty() { Err(Absence::NoRecord.into()) } else { Ok((data, Some(resolver))) }
    }
}

/// Reads of one wave, and where each name's outcomes will stand.
#[derive(Default)]
struct Wave(Vec<Read>);

impl Wave {
    fn add(&mut self, reads: Vec<Read>) -> Range<usize> {
        let start = self.0.len();
        self.0.extend(reads);
        start..self.0.len()
    }

    async fn send(self, chain: &Chain<'_>) -> Vec<Outcome> {
        chain.wave(self.0).await
    }
}
