//! Who watches a portfolio, and the last events of it.
//!
//! Invariant: all subscribers get the same events, and share their memory.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use portolan_base::client_share::ClientShare;

use crate::gateway::problem::Problem;
use crate::http::event_stream::{self, COMMENT, EventSender};

/// Number of events that may wait for a subscriber to read them.
const WAITING_MAX: usize = 32;
/// Last events that a client that was cut off can still get, all at once.
const RECENT_MAX: usize = WAITING_MAX;
const RECENT_BYTES_MAX: usize = 512 << 10;

/// The subscribers of one watch.
pub(super) struct Subscribers {
    /// Begins the ids of this watch's events, so that those of another process or time are unknown.
    watch: String,
    /// Number of the last event.
    last: u64,
    /// The whole portfolio after the last event, as an event; made when the first subscriber needs it.
    whole: Option<Bytes>,
    whole_data: Bytes,
    recent: VecDeque<Bytes>,
    recent_bytes: usize,
    all: Vec<Subscriber>,
    /// Whose turn it is to pay for a read.
    turn: usize,
}

/// A client's stream.
pub(super) struct Subscriber {
    events: EventSender,
    client: Arc<ClientShare>,
}

impl Default for Subscribers {
    fn default() -> Self {
        Self {
            watch: format!("{:016x}", fastrand::u64(..)),
            last: 0,
            whole: None,
            whole_data: Bytes::new(),
            recent: VecDeque::new(),
            recent_bytes: 0,
            all: Vec::new(),
            turn: 0,
        }
    }
}

impl Subscriber {
    pub(super) fn new(events: EventSender, client: Arc<ClientShare>) -> Self {
        Self { events, client }
    }

    /// Sends an event; returns false if the stream has ended.
    fn send(&self, event: Bytes) -> bool {
        let is_slow = self.events.waiting() >= WAITING_MAX;
        if is_slow || self.events.send(event, true).is_err() {
            self.events.send_last(end("slow"));
            return false;
        }
        true
    }
}

impl Subscribers {
    /// Adds a subscriber, who gets the events after the one that it names, or the whole portfolio.
    pub(super) fn add(&mut self, subscriber: Subscriber, last_event: Option<&str>) {
        let events = match last_event.and_then(|id| self.after(id)) {
            Some(missed) => missed,
            None => vec![self.whole()],
        };
        if events.into_iter().all(|event| subscriber.send(event)) {
            self.all.push(subscriber);
        }
    }

    /// Sends an event, if there is one, and keeps the whole portfolio for those who come later.
    pub(super) fn publish(&mut self, event: Option<(&str, Vec<u8>)>, whole: Bytes) {
        let Some((name, data)) = event else { return };
        self.last += 1;
        (self.whole, self.whole_data) = (None, whole);
        let event = event_stream::event(name, Some(&self.id(self.last)), &data);
        self.recent_bytes += event.len();
        self.recent.push_back(event.clone());
        while self.recent.len() > RECENT_MAX || self.recent_bytes > RECENT_BYTES_MAX {
            let Some(oldest) = self.recent.pop_front() else { break };
            self.recent_bytes -= oldest.len();
        }
        self.send(&event);
    }

    /// Tells all that the portfolio could not be read; the streams go on.
    pub(super) fn fail(&mut self, problem: &Problem) {
        let body = problem.response().into_body().bytes;
        self.send(&event_stream::event("problem", None, &body));
    }

    /// Keeps the connections open.
    pub(super) fn comment(&mut self) {
        self.send(&COMMENT);
    }

    /// Ends all streams.
    pub(super) fn end(&mut self, reason: &str) {
        self.all.drain(..).for_each(|subscriber| subscriber.events.send_last(end(reason)));
    }

    /// Number of a client's streams.
    pub(super) fn of_client(&self, client: &Arc<ClientShare>) -> usize {
        let is_own =
            |subscriber: &&Subscriber| !subscriber.events.is_closed() && Arc::ptr_eq(&subscriber.client, client);
        self.all.iter().filter(is_own).count()
    }

    /// Returns true if nobody is left.
    pub(super) fn is_empty(&self) -> bool {
        self.all.iter().all(|subscriber| subscriber.events.is_closed())
    }

    /// Returns the client that the next read is made for: each in turn. `None` if nobody is left.
    pub(super) fn next_reader(&mut self) -> Option<Arc<ClientShare>> {
        self.all.retain(|subscriber| !subscriber.events.is_closed());
        self.turn = self.turn.wrapping_add(1);
        let place = self.turn.checked_rem(self.all.len())?;
        self.all.get(place).map(|subscriber| Arc::clone(&subscriber.client))
    }

    fn send(&mut self, event: &Bytes) {
        self.all.retain(|subscriber| subscriber.send(event.clone()));
    }

    fn whole(&mut self) -> Bytes {
        let id = self.id(self.last);
        let data = &self.whole_data;
        self.whole.get_or_insert_with(|| event_stream::event("answer", Some(&id), data)).clone()
    }

    /// Returns the events after the one with this id; `None` if they are not known.
    fn after(&self, id: &str) -> Option<Vec<Bytes>> {
        let (watch, number) = id.split_once('-')?;
        let missed = self.last.checked_sub(number.parse().ok()?).filter(|_| watch == self.watch)?;
        let skipped = self.recent.len().checked_sub(usize::try_from(missed).ok()?)?;
        Some(self.recent.iter().skip(skipped).cloned().collect())
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.watch)
    }
}

/// The event that ends a stream.
fn end(reason: &str) -> Bytes {
    event_stream::event("end", None, format!("{{\"reason\":\"{reason}\"}}").as_bytes())
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::http::event_stream::{EventReceiver, OwnProcess};

    /// All events that wait, and whether the stream has ended.
    fn taken(receiver: &mut EventReceiver) -> (Vec<String>, bool) {
        let mut events = Vec::new();
        loop {
            match receiver.poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Some(event)) => events.push(String::from_utf8(event.to_vec()).unwrap()),
                Poll::Ready(None) => return (events, true),
                Poll::Pending => return (events, false),
            }
        }
    }

    fn subscribe(subscribers: &mut Subscribers, last_event: Option<&str>) -> EventReceiver {
        let (sender, receiver) = event_stream::open(Arc::new(OwnProcess));
        subscribers.add(Subscriber::new(sender, ClientShare::new(None)), last_event);
        receiver
    }

    fn publish(subscribers: &mut Subscribers, data: &str) {
        let whole = format!("whole after {data}");
        subscribers.publish(Some(("change", data.as_bytes().to_vec())), whole.into());
    }

    #[test]
    fn a_client_that_was_cut_off_gets_what_it_missed_and_others_the_whole() {
        let mut subscribers = Subscribers::default();
        for data in ["1", "2", "3"] {
            publish(&mut subscribers, data);
        }
        let id = |number: u64| subscribers.id(number);
        let (ids, unknown) =
            ([id(0), id(1), id(3)], [id(4), "0-1".into(), "1".into(), format!("{}-x", subscribers.watch)]);
        let event = |number: u64| format!("event: change\nid: {}-{number}\ndata: {number}\n\n", subscribers.watch);
        let events = [event(1), event(2), event(3)];
        let whole = format!("event: answer\nid: {}\ndata: whole after 3\n\n", ids[2]);
        for (last, missed) in ids.iter().zip([0, 1, 3]) {
            let mut receiver = subscribe(&mut subscribers, Some(last));
            assert_eq!(taken(&mut receiver), (events[missed..].to_vec(), false), "{last}");
        }
        for last in unknown.iter().map(|id| Some(id.as_str())).chain([None]) {
            let mut receiver = subscribe(&mut subscribers, last);
            assert_eq!(taken(&mut receiver), (vec![whole.clone()], false), "{last:?}");
        }
    }

    #[test]
    fn events_that_are_long_gone_are_unknown() {
        let mut subscribers = Subscribers::default();
        (0..100).for_each(|number| publish(&mut subscribers, &number.to_string()));
        let (last, gone) = (subscribers.id(68), subscribers.id(67));
        assert_eq!(taken(&mut subscribe(&mut subscribers, Some(&last))).0.len(), 32);
        assert!(taken(&mut subscribe(&mut subscribers, Some(&gone))).0[0].starts_with("event: answer"));
    }

    #[test]
    fn a_slow_subscriber_is_told_and_loses_its_own_stream_alone() {
        let mut subscribers = Subscribers::default();
        publish(&mut subscribers, "first");
        let (mut slow, mut quick) = (subscribe(&mut subscribers, None), subscribe(&mut subscribers, None));
        for number in 0..40 {
            publish(&mut subscribers, &number.to_string());
            assert!(!taken(&mut quick).1);
        }
        let (events, has_ended) = taken(&mut slow);
        assert_eq!(events.len(), 33, "the whole, 31 changes, and the end");
        assert!(has_ended && events.last().unwrap() == "event: end\ndata: {\"reason\":\"slow\"}\n\n");
        assert_eq!(subscribers.all.len(), 1);
    }

    #[test]
    fn reads_are_made_for_each_subscriber_in_turn() {
        let mut subscribers = Subscribers::default();
        publish(&mut subscribers, "first");
        assert!(subscribers.next_reader().is_none());
        let (one, other) = (subscribe(&mut subscribers, None), subscribe(&mut subscribers, None));
        let [first, second, third] = [(); 3].map(|()| subscribers.next_reader().unwrap());
        assert!(!Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&first, &third));
        assert_eq!(subscribers.of_client(&first), 1);
        drop(one);
        assert!(subscribers.next_reader().is_some());
        subscribers.end("restart");
        drop(other);
        assert!(subscribers.next_reader().is_none());
    }
}
