//! Panics anywhere in the author's code: the job ends and reports the location, and nothing else is affected.

use std::panic::panic_any;
use std::pin::pin;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use portolan_abi::map::Selftest;
use portolan_abi::row::state;
use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{End, settings_error};
use portolan_plugin_api::{Address, Catalogue, Claimable, Error, JobContext, Plugin, Settings, SettingsError, U256};

use crate::host::Host;
use crate::scenario::{Play, found, numbers, play, scenario, value};

const BOOM_LINE: u32 = line!() + 2;
fn boom() {
    panic!("boom");
}

fn boom_text() -> String {
    format!("panicked at {}:{BOOM_LINE}: boom (return an error there instead)", file!())
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        boom();
    }
}

scenario!(AtFirstPoll, |_cx| {
    boom();
    Ok(Vec::new())
});

scenario!(Later, |cx| {
    cx.emit(found(value(cx, 1).await?));
    boom();
    Ok(vec![found(U256::from(2))])
});

#[test]
fn a_panic_at_the_first_poll_ends_the_job_and_reports_where() {
    let outcome = play::<AtFirstPoll>();
    assert_eq!((outcome.end, outcome.message), (End::Panicked, boom_text()));
}

#[test]
fn a_panic_later_ends_the_job_and_keeps_what_was_reported() {
    let outcome = play::<Later>();
    assert_eq!((outcome.end, &outcome.message), (End::Panicked, &boom_text()));
    assert_eq!((outcome.batches.as_slice(), numbers(&outcome)), (&[1][..], vec![3]));
}

scenario!(InDropAtEnd, |cx| {
    let _bomb = Bomb;
    value(cx, 1).await.map(|answer| vec![found(answer)])
});

#[test]
fn a_panic_in_a_drop_at_the_end_ends_the_job() {
    let outcome = play::<InDropAtEnd>();
    assert_eq!((outcome.end, outcome.message), (End::Panicked, boom_text()));
}

/// A future whose drop panics after it has returned.
struct Armed(Bomb);

impl Future for Armed {
    type Output = Result<Vec<Claimable>, Error>;

    fn poll(self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Ok(vec![found(U256::from(7))]))
    }
}

struct DropsAfterItsAnswer;

impl Plugin for DropsAfterItsAnswer {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        crate::scenario::catalogue()
    }

    fn claimables(&self, _: &JobContext, _: Address) -> impl Future<Output = Result<Vec<Claimable>, Error>> + Send {
        Armed(Bomb)
    }
}

impl Exported for DropsAfterItsAnswer {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

#[test]
fn a_panic_in_the_drop_of_the_authors_future_ends_the_job() {
    let outcome = crate::scenario::case().run::<DropsAfterItsAnswer>(crate::scenario::contract);
    assert_eq!((outcome.end, outcome.message), (End::Panicked, boom_text()));
}

#[test]
fn a_panic_in_a_drop_of_a_job_that_is_dropped_half_way_goes_no_further() {
    let host = Host::<Play<InDropAtEnd>>::new();
    let mut jobs = vec![host.start(), host.start()];
    assert!(host.resume(&mut jobs, &[&[], &[]]).iter().all(|step| step.state == state::READING));
    drop(jobs.remove(0));
    assert_eq!(host.resume(&mut jobs, &[&[1]])[0].message, boom_text());
}

scenario!(MisusedWithBomb, |_cx| {
    let _bomb = Bomb;
    std::future::pending().await
});

#[test]
fn a_panic_in_the_drop_of_a_misused_future_is_what_is_reported() {
    let outcome = play::<MisusedWithBomb>();
    assert_eq!((outcome.end, outcome.message), (End::Panicked, boom_text()));
}

const PAYLOAD_LINE: u32 = line!() + 2;
fn panic_with_bomb() {
    panic_any(Bomb);
}

scenario!(PanickingPayload, |cx| {
    cx.emit(found(value(cx, 4).await?));
    panic_with_bomb();
    Ok(Vec::new())
});

#[test]
fn a_payload_that_panics_when_it_is_dropped_is_reported_as_the_first_panic() {
    let outcome = play::<PanickingPayload>();
    let text =
        format!("panicked at {}:{PAYLOAD_LINE}: a payload that is not text (return an error there instead)", file!());
    assert_eq!((outcome.end, &outcome.message), (End::Panicked, &text));
    assert_eq!(numbers(&outcome), [9]);
}

scenario!(Rethrown, |cx| {
    value(cx, 1).await?;
    let caught = std::panic::catch_unwind(boom);
    std::panic::resume_unwind(caught.expect_err("it panics"));
});

scenario!(ThrownWithoutHook, |_cx| { std::panic::resume_unwind(Box::new("unseen")) });

scenario!(CaughtByTheAuthor, |cx| {
    let answer = value(cx, 1).await?;
    assert!(std::panic::catch_unwind(boom).is_err());
    Ok(vec![found(answer)])
});

#[test]
fn a_panic_that_the_author_catches_and_throws_again_is_reported_where_it_began() {
    let outcome = play::<Rethrown>();
    assert_eq!((outcome.end, outcome.message), (End::Panicked, boom_text()));
}

#[test]
fn a_panic_that_no_hook_saw_reports_nothing_of_another_one() {
    assert_eq!(play::<CaughtByTheAuthor>().end, End::Complete);
    let outcome = play::<ThrownWithoutHook>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Panicked, "panicked without a message"));
}

/// A waker of the author.
struct PanickingWaker;

impl Wake for PanickingWaker {
    fn wake(self: Arc<Self>) {
        boom();
    }
}

struct WakerWithBomb(Bomb);

impl Wake for WakerWithBomb {
    fn wake(self: Arc<Self>) {}
}

async fn with_waker(cx: &JobContext, waker: Waker) -> Result<Vec<Claimable>, Error> {
    let mut read = pin!(value(cx, 1));
    std::future::poll_fn(|_| read.as_mut().poll(&mut Context::from_waker(&waker)))
        .await
        .map(|answer| vec![found(answer)])
}

scenario!(PanicsWhenWoken, |cx| { with_waker(cx, Waker::from(Arc::new(PanickingWaker))).await });

scenario!(WakerPanicsWhenDropped, |cx| {
    // Only the chain holds the waker once the future has forgotten it.
    let waker = Waker::from(Arc::new(WakerWithBomb(Bomb)));
    let mut read = Box::pin(value(cx, 1));
    assert!(read.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    drop(waker);
    value(cx, 2).await.map(|answer| vec![found(answer)])
});

#[test]
fn a_waker_that_panics_ends_the_job() {
    let outcome = play::<PanicsWhenWoken>();
    assert_eq!((outcome.end, outcome.message), (End::Panicked, boom_text()));
}

#[test]
fn a_waker_that_panics_when_it_is_dropped_goes_no_further() {
    let host = Host::<Play<WakerPanicsWhenDropped>>::new();
    let mut jobs = vec![host.start(), host.start()];
    host.resume(&mut jobs, &[&[], &[]]);
    drop(jobs.remove(0));
    assert_eq!(host.resume(&mut jobs, &[&[1, 2]])[0].state, state::PANICKED);
}

scenario!(PanicsForOddReplies, |cx| {
    let answer = value(cx, 1).await?;
    if answer.bit(0) {
        boom();
    }
    Ok(vec![found(answer)])
});

#[test]
fn a_panic_harms_neither_the_other_jobs_of_its_frame_nor_later_ones() {
    let host = Host::<Play<PanicsForOddReplies>>::new();
    for _ in 0..3 {
        let mut jobs = [host.start(), host.start(), host.start()];
        host.resume(&mut jobs, &[&[], &[], &[]]);
        let steps = host.resume(&mut jobs, &[&[2], &[3], &[4]]);
        let states: Vec<u8> = steps.iter().map(|step| step.state).collect();
        assert_eq!(states, [state::COMPLETE, state::PANICKED, state::COMPLETE]);
        assert_eq!((steps[0].numbers(), steps[2].numbers()), (vec![2], vec![4]));
        let again = host.resume(&mut jobs[1..2], &[&[]]);
        assert_eq!((again[0].state, again[0].message.as_str()), (state::FAILED, "resumed after its end"));
    }
}

/// Plugins that panic outside of any job.
macro_rules! outside {
    ($name:ident, $configure:expr, $catalogue:expr) => {
        struct $name(#[expect(dead_code, reason = "it is there to be dropped")] Option<Bomb>);

        impl Plugin for $name {
            fn configure(_: &Settings) -> Result<Self, SettingsError> {
                Ok(Self($configure))
            }

            fn catalogue(&self) -> Catalogue {
                $catalogue
            }
        }

        impl Exported for $name {
            type Plugin = Self;

            const MANIFEST: Manifest = Manifest::new(&["{}"]);
        }
    };
}

fn boomed<T>(made: T) -> T {
    boom();
    made
}

outside!(InConfigure, boomed(None), Catalogue::default());
outside!(InCatalogue, None, boomed(Catalogue::default()));
outside!(InEnd, Some(Bomb), Catalogue::default());

#[test]
fn a_panic_in_configure_or_catalogue_refuses_the_settings_and_reports_where() {
    for error in
        [settings_error::<InConfigure>(&Settings::default()), settings_error::<InCatalogue>(&Settings::default())]
    {
        let error = error.expect("refused");
        assert_eq!((error.message, error.row, error.key), (boom_text(), None, None));
    }
}

fn selftest<P: Exported>() -> Selftest {
    let actual = (portolan_plugin_api::export::module::<P>().selftest())();
    portolan_abi::codec::decode(&actual).expect("a selftest")
}

#[test]
fn a_selftest_reports_panics() {
    assert_eq!(selftest::<InConfigure>().message, format!("shipped settings: {}", boom_text()));
    assert_eq!(selftest::<InEnd>().message, format!("end of an instance: {}", boom_text()));
    assert!(!selftest::<InEnd>().ok);
}

#[test]
fn a_panic_in_the_drop_of_an_instance_goes_no_further() {
    drop(Host::<InEnd>::new());
}

/// Runs the tests of this file in a separate process, whose standard error can be read.
#[test]
fn caught_panics_leave_standard_error_quiet() {
    let this = std::env::current_exe().expect("a test is a file");
    let mut command = Command::new(this);
    command.args(["panics::", "--skip", "standard_error", "--nocapture", "--test-threads", "2"]);
    let output = command.env_remove("RUST_BACKTRACE").output().expect("a test can be run");
    let (actual, quiet) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{actual}{quiet}");
    assert!(actual.contains("a_panic_later_ends_the_job_and_keeps_what_was_reported ... ok"), "{actual}");
    assert_eq!(quiet, "");
}
