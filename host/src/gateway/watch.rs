//! An account whose portfolio is read again as its networks go on, as few reads as that takes.
//!
//! A job that found nothing is not run again at a later block unless a log of a contract that it read may concern the
//! account; zeros that stand for a while are then read again. Logs prove less than state: an amount may change without
//! one. So each such job runs again after five minutes at the latest, and jobs that found something run at each block.
//! Invariant: what is shown of a network was read at its block, or could not have been found before.

mod head_follower;
mod touched;
mod watched_network;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::Address;
use metrics::counter;
use portolan_base::client_share::ClientShare;
use portolan_base::network::Network;
use portolan_reader::{Block, Pins, ReadFailure};

pub(crate) use self::head_follower::{Following, HeadFollower};
use self::touched::Touched;
use self::watched_network::{NetworkRead, WatchedNetwork};
use crate::gateway::answer::Answer;
use crate::gateway::context::Context;
use crate::gateway::plan::Plans;
use crate::gateway::problem::Problem;
use crate::gateway::query::{AboutRows, Account, AnswerOptions};
use crate::gateway::work::account_rows::RowWork;
use crate::gateway::work::names;
use crate::gateway::work::protocols::{FoundRows, JobRows, jobs, rows_of_jobs, with_natives};
use crate::gateway::{Gateway, missing};
use crate::jobs::plan::{JobPlan, Question};
use crate::jobs::report::JobReport;

/// A portfolio that is followed from block to block.
pub(crate) struct WatchedPortfolio {
    account: Address,
    about: AboutRows,
    /// True if the sources of amounts are wanted.
    is_traced: bool,
    /// Generation of the plugins that it was read with.
    generation: u64,
    networks: BTreeMap<u64, WatchedNetwork>,
    without_composition: BTreeMap<u64, Vec<JobReport>>,
    following: Following,
}

/// Slug of the protocol, and the question.
type JobId = (String, Question);

/// A block of a network to read at, and what happened since the last one.
struct Due {
    head: Option<Block>,
    /// `None` if that is not known.
    touched: Option<Touched>,
}

impl Gateway {
    /// Returns the account's address.
    ///
    /// # Errors
    /// Its name was not resolved, or there is no room for one more answer.
    pub(crate) async fn account(&self, account: Account, client: &Arc<ClientShare>) -> Result<Address, Problem> {
        match account {
            Account::Address(account) => Ok(account),
            Account::Name(name) => {
                let _admitted = self.admission.acquire(client, 1)?;
                names::account(&self.context(AnswerOptions::default(), client), name).await
            }
        }
    }

    /// Returns what follows the heads of all watched networks.
    pub(crate) fn head_follower(&self) -> Arc<HeadFollower> {
        HeadFollower::new(Arc::clone(&self.sources.reader), self.sources.head_age_max.clone())
    }

    /// Begins to follow a portfolio, which is not read yet.
    ///
    /// # Errors
    /// The filter names an unknown protocol, or the named network has no endpoint.
    pub(crate) fn watch(
        &self,
        account: Address,
        about: AboutRows,
        is_traced: bool,
        follower: &Arc<HeadFollower>,
        client: &Arc<ClientShare>,
    ) -> Result<WatchedPortfolio, Problem> {
        let context = self.context(AnswerOptions::default(), client);
        let work = RowWork::new(&context, account, &about)?;
        Ok(WatchedPortfolio {
            account,
            about,
            is_traced,
            generation: context.snapshot.generation,
            networks: BTreeMap::new(),
            without_composition: BTreeMap::new(),
            following: HeadFollower::follow(follower, chain_ids(&work.plans)),
        })
    }

    /// Reads what may have changed at the newest blocks, on behalf of a client, and returns the whole portfolio.
    ///
    /// # Errors
    /// Nothing could be read, or there is no room for one more answer.
    pub(crate) async fn read_watched(
        &self,
        watched: &mut WatchedPortfolio,
        client: &Arc<ClientShare>,
    ) -> Result<Arc<Answer>, Problem> {
        let _admitted = self.admission.acquire(client, 1)?;
        let options = AnswerOptions { is_traced: watched.is_traced, ..AnswerOptions::default() };
        let context = self.context(options, client).joining(watched.following.follower().joiner());
        let work = RowWork::new(&context, watched.account, &watched.about)?;
        if watched.generation != context.snapshot.generation {
            watched.networks.clear();
            watched.without_composition.clear();
            watched.generation = context.snapshot.generation;
            watched.following = HeadFollower::follow(watched.following.follower(), chain_ids(&work.plans));
        }
        let due = watched.due(&work.plans);
        let (plans, concerned) = watched.plans(&work.plans, &due);
        context.open(plans.jobs.iter().map(|plan| &plan.network)).await;
        let running = context.run(jobs(&context, &plans, watched.account).collect());
        let ran = with_natives(&context, &plans, &[watched.account], work.simulating, running).await;
        let found = rows_of_jobs(&context, ran, |plan| work.list.kind(plan), work.simulating).await;
        watched.take(&due, found, &context.pins(), concerned);
        watched.following.set_contracts(watched.contracts());
        watched.answer(&context, &work)
    }
}

impl WatchedPortfolio {
    /// Returns the networks that went on since they were read or are out, and those that were not read yet.
    fn due(&self, plans: &Plans) -> BTreeMap<u64, Due> {
        let due = |chain_id: u64| match self.networks.get(&chain_id).map(|network| network.pin) {
            Some(Ok(known)) => match self.following.since(chain_id, &known) {
                Some((head, touched)) => Some((chain_id, Due { head: Some(head), touched })),
                None => self.following.is_out(chain_id).then_some((chain_id, Due { head: None, touched: None })),
            },
            // A network without an endpoint stays so while the process runs.
            Some(Err(ReadFailure::NotConfigured)) => None,
            None | Some(Err(_)) => Some((chain_id, Due { head: None, touched: None })),
        };
        chain_ids(plans).into_iter().filter_map(due).collect()
    }

    /// Returns the jobs to run, and by chain id those that logs concern.
    fn plans(&self, all: &Plans, due: &BTreeMap<u64, Due>) -> (Plans, BTreeMap<u64, BTreeSet<JobId>>) {
        let (mut jobs, mut all_concerned) = (Vec::new(), BTreeMap::<u64, BTreeSet<JobId>>::new());
        for plan in &all.jobs {
            let chain_id = plan.network.chain_id;
            let (Some(Due { touched, .. }), Some(id)) = (due.get(&chain_id), id(plan)) else { continue };
            let known = self.networks.get(&chain_id).filter(|known| !known.is_due());
            let job = known.and_then(|known| known.jobs.get(&id));
            let logs = job.zip(touched.as_ref());
            let is_concerned = logs.is_some_and(|(job, touched)| touched.concerns(&job.contracts, self.account));
            let was_concerned = known.is_some_and(|known| known.concerned.contains(&id));
            let renews_zeros = is_concerned || was_concerned;
            if renews_zeros || logs.is_none_or(|(job, _)| !is_settled(job)) {
                // Their traces have the contracts whose logs matter.
                jobs.push(JobPlan { renews_zeros, is_traced: true, ..plan.clone() });
            }
            if is_concerned {
                all_concerned.entry(chain_id).or_default().insert(id);
            }
        }
        let of_due = all.jobs.iter().filter(|plan| due.contains_key(&plan.network.chain_id)).count();
        let skipped = of_due.saturating_sub(jobs.len());
        counter!("portolan_watch_jobs_total", "outcome" => "run").increment(count(jobs.len()));
        counter!("portolan_watch_jobs_total", "outcome" => "skipped").increment(count(skipped));
        (Plans { jobs, unavailable: all.unavailable.clone() }, all_concerned)
    }

    /// Takes what was read at these blocks.
    fn take(
        &mut self,
        due: &BTreeMap<u64, Due>,
        found: FoundRows,
        pins: &Pins,
        mut concerned: BTreeMap<u64, BTreeSet<JobId>>,
    ) {
        let mut by_network: BTreeMap<u64, Vec<JobRows>> = BTreeMap::new();
        for job in found.jobs {
            by_network.entry(job.plan.network.chain_id).or_default().push(job);
        }
        for (chain_id, Due { head, touched }) in due {
            let pin = match (pins.get(chain_id), head) {
                (Some(pin), _) => *pin,
                (None, Some(head)) => Ok(*head),
                (None, None) => continue,
            };
            let jobs = by_network.remove(chain_id).unwrap_or_default();
            let known = self.networks.get_mut(chain_id);
            let is_whole = touched.is_none() || known.as_ref().is_none_or(|known| known.is_due());
            let read = NetworkRead { pin, jobs, is_whole, concerned: concerned.remove(chain_id).unwrap_or_default() };
            match known {
                Some(known) => known.take(read),
                None => drop(self.networks.insert(*chain_id, WatchedNetwork::first(read))),
            }
            let of_network = found.without_composition.iter().filter(|report| report.network.chain_id == *chain_id);
            self.without_composition.insert(*chain_id, of_network.cloned().collect());
        }
    }

    /// Returns the contracts whose logs say that a job is to run again, by chain id.
    fn contracts(&self) -> BTreeMap<u64, BTreeSet<Address>> {
        let of_network = |network: &WatchedNetwork| {
            network.jobs.values().filter(|job| is_settled(job)).flat_map(|job| job.contracts.iter().copied()).collect()
        };
        self.networks.iter().map(|(chain_id, network)| (*chain_id, of_network(network))).collect()
    }

    fn answer(&self, context: &Context, work: &RowWork) -> Result<Arc<Answer>, Problem> {
        let jobs = self.networks.values().flat_map(|network| network.jobs.values()).cloned().collect();
        let without_composition = self.without_composition.values().flatten().cloned().collect();
        let found = FoundRows { jobs, without_composition };
        let only = found.of_accounts(context, &[self.account], &work.plans).pop().unwrap_or_default();
        missing::check(&only.reports)?;
        let pins: Pins = self.networks.iter().map(|(chain_id, network)| (*chain_id, network.pin)).collect();
        let pinned = |network: &Arc<Network>| Some((Arc::clone(network), pins.get(&network.chain_id)?.ok()?));
        let blocks = context.networks().iter().filter_map(pinned).collect();
        let missing = missing::missing(context.networks(), &pins, &only.reports);
        let answer = context.answer(work.items(only.rows), only.reports);
        Ok(Arc::new(Answer { blocks, missing, ..answer }))
    }

    /// Returns true if a network could not be read at its newest block, so that it is worth another try.
    pub(crate) fn is_behind(&self) -> bool {
        self.networks.values().any(WatchedNetwork::is_behind)
    }

    /// Waits until a network that it reads has gone on or is out.
    pub(crate) async fn changed(&mut self) {
        loop {
            self.following.changed().await;
            let mut known = self.networks.iter().filter_map(|(chain_id, network)| Some((*chain_id, network.pin.ok()?)));
            let following = &self.following;
            if known.any(|(chain_id, block)| following.is_out(chain_id) || following.since(chain_id, &block).is_some())
            {
                return;
            }
        }
    }
}

/// Returns true if the job read everything that it meant to read, and found nothing.
fn is_settled(job: &JobRows) -> bool {
    !job.has_findings && !job.has_failed()
}

fn chain_ids(plans: &Plans) -> BTreeSet<u64> {
    plans.jobs.iter().map(|plan| plan.network.chain_id).collect()
}

fn by_id(job: JobRows) -> Option<(JobId, JobRows)> {
    Some((id(&job.plan)?, job))
}

fn id(plan: &JobPlan) -> Option<JobId> {
    Some((plan.protocol.slug.clone(), plan.question.of_account()?))
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
