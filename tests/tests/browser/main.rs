//! The explorer in a real Chromium, before the real gateway and real chains: what it shows, what it sends, and what it never
//! does. The checks are the files of `tests/browser`; what they expect is the arithmetic of the chains' build.
//!
//! Where no Chromium is installed, the tests say that they were skipped.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod accounts;
mod balances;
mod book;
mod failing;
mod hostile;
mod wallets;

/// Returns from the test if there is no Chromium to run it in.
macro_rules! browser {
    () => {
        match portolan_tests::browser::Browser::installed().unwrap() {
            Some(browser) => browser,
            None => return println!("skipped: chromium is not installed"),
        }
    };
}
use browser;

#[test]
fn the_watch_finds_each_thing_that_no_page_may_do() {
    // The check answers for this origin.
    browser!().check("watch", serde_json::json!({"base": "http://127.0.0.1:9"})).unwrap();
}
