//! Which plugin serves a slug that several name.

use super::*;

#[test]
fn a_slug_belongs_to_the_plugin_that_had_it_first_until_that_one_goes() {
    let mut it = Driven::new();
    it.on_scan(&[("a.so", 1)]);
    it.taken("a.so", &library("a", 1));
    it.serve(&["same"]);
    it.on_scan(&[("a.so", 1), ("b.so", 1)]);
    it.taken("b.so", &library("b", 2));
    it.serve(&["other", "same"]);
    let refused = "b b.so active the protocol same is already served by the plugin a: rename it, or remove one \
                   of the two plugins";
    assert_eq!(it.rows(), ["a a.so active", refused]);
    assert_eq!([it.serving("same"), it.serving("other")], [Some("a".to_owned()), Some("b".to_owned())]);
    it.on_scan(&[("b.so", 1)]);
    assert!(it.wanted().is_empty(), "nothing is built anew");
    assert_eq!(it.serving("same").as_deref(), Some("b"));
    assert_eq!(it.rows(), ["b b.so active"]);
}

#[test]
fn a_plugin_that_is_left_with_nothing_is_told_as_rejected() {
    let mut it = Driven::new();
    it.on_scan(&[("a.so", 1)]);
    it.taken("a.so", &library("a", 1));
    it.serve(&["same"]);
    it.on_scan(&[("a.so", 1), ("b.so", 1)]);
    it.taken("b.so", &library("b", 2));
    it.serve(&["same"]);
    let refused = "b b.so rejected the protocol same is already served by the plugin a: rename it, or remove one \
                   of the two plugins";
    assert_eq!(it.rows(), ["a a.so active", refused]);
}

#[test]
fn a_slug_stays_with_the_plugin_that_served_it_last_whatever_files_are_called() {
    let mut it = Driven::new();
    it.on_scan(&[("z.so", 1)]);
    it.taken("z.so", &library("z", 1));
    it.serve(&["same"]);
    assert_eq!(it.serving("same").as_deref(), Some("z"));
    it.plugin_table.on_started();
    it.on_scan(&[("a.so", 1), ("z.so", 1)]);
    it.taken("a.so", &library("a", 2));
    it.serve(&["other", "same"]);
    assert_eq!(it.serving("same").as_deref(), Some("z"));

    let mut it = it.restarted();
    it.on_scan(&[("a.so", 1), ("z.so", 1)]);
    it.taken("a.so", &library("a", 2));
    it.serve(&["other", "same"]);
    // It is not reassigned yet: the plugin that had it may only be late.
    assert_eq!(it.serving("same").as_deref(), Some("a"));
    it.taken("z.so", &library("z", 1));
    it.serve(&["same"]);
    assert_eq!([it.serving("same"), it.serving("other")], [Some("z".to_owned()), Some("a".to_owned())]);
    it.plugin_table.on_started();
    it.on_scan(&[("a.so", 1)]);
    assert!(it.wanted().is_empty());
    assert_eq!(it.serving("same").as_deref(), Some("a"));
    it.on_scan(&[("a.so", 1), ("z.so", 1)]);
    it.taken("z.so", &library("z", 1));
    it.serve(&["same"]);
    assert_eq!(it.serving("same").as_deref(), Some("a"), "who served it last has it");
    assert_eq!(it.restarted().plugin_table.remembered, it.plugin_table.holders);
}

#[test]
fn a_slug_that_has_events_alone_holds_nobody_back() {
    const EVENTS: Question = Question::EVENTS;
    const CLAIMABLES: Question = Question::CLAIMABLES;
    // Questions of the team's plugin; the plugin that decodes the events, and the refusal of the bridges' plugin.
    let cases: [(&[Question], Option<&str>, &str); 2] = [
        (&[CLAIMABLES], Some("bridges"), ""),
        (
            &[CLAIMABLES, EVENTS],
            None,
            " the protocol same is already served by the plugin team: rename it, or remove one of the two plugins",
        ),
    ];
    for (questions, events, refused) in cases {
        let mut it = Driven::new();
        it.on_scan(&[("bridges.so", 1)]);
        it.taken("bridges.so", &library("bridges", 1));
        it.serve_deployed("same", &[EVENTS]);
        assert_eq!(it.serving("same").as_deref(), Some("bridges"));
        it.plugin_table.on_started();
        it.on_scan(&[("bridges.so", 1), ("team.so", 1)]);
        it.taken("team.so", &library("team", 2));
        it.serve_deployed("same", questions);
        assert_eq!(it.serving("same").as_deref(), Some("team"));
        let snapshot = it.plugin_table.publish().0;
        let beside: Vec<&str> = snapshot.events.iter().map(|served| served.instance.name()).collect();
        assert_eq!(beside, events.into_iter().collect::<Vec<_>>());
        let state = if refused.is_empty() { "active" } else { "rejected" };
        assert_eq!(it.rows(), [format!("bridges bridges.so {state}{refused}"), "team team.so active".to_owned()]);

        let policy = it.plugin_table.policy.clone();
        policy.change(|decisions| drop(decisions.disabled.insert("team".into(), "no need".into()))).unwrap();
        it.plugin_table.on_policy();
        assert!(it.wanted().is_empty() && it.plugin_table.next_fallbacks().is_empty());
        assert_eq!(it.serving("same").as_deref(), Some("bridges"));
        let unavailable = it.plugin_table.publish().0.unavailable.clone();
        assert!(
            matches!(&unavailable[..], [one] if one.subject() == "same" && one.plugin == "team"),
            "{unavailable:?}"
        );
    }
}
