//! The faults, and what each place says of them.

/// A fault of an author.
pub(crate) struct AuthorFault {
    /// The protocol of the plugin that has it.
    pub(crate) name: &'static str,
    /// What is wrong, for the document.
    pub(crate) what: &'static str,
    pub(crate) kind: FaultKind,
    pub(crate) test: Sentence,
    pub(crate) ask: Sentence,
    pub(crate) gateway: Sentence,
}

/// What a fault is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// One protocol of the plugin.
    Protocol,
    /// The plugin as a whole.
    Plugin,
    /// The file.
    File,
    /// Another plugin beside it.
    Neighbour,
}

/// What one place says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sentence {
    /// A sentence that has these words, which say what to do.
    Says(&'static str),
    /// Nothing, for this reason.
    Cannot(&'static str),
}

use FaultKind::{File, Neighbour, Plugin, Protocol};
use Sentence::{Cannot, Says};

const NO_FILE: Sentence = Cannot("it runs the crate, not its file: `plugin ask` sees it");

const fn fault(name: &'static str, what: &'static str, kind: FaultKind, mend: &'static str) -> AuthorFault {
    let says = Says(mend);
    AuthorFault { name, what, kind, test: says, ask: says, gateway: says }
}

/// The one that never returns is the last.
pub(crate) const FAULTS: [AuthorFault; 17] = [
    fault("wrong_address", "wrong address: nothing stands there", Protocol, "check the address"),
    fault("wrong_abi", "wrong ABI: a view with other return types", Protocol, "check its return types"),
    AuthorFault {
        test: Says("correct the row's network"),
        ..fault("wrong_network", "wrong network of a row", Protocol, "that it is on this network")
    },
    fault("unknown_network", "a chain id that nobody knows", Protocol, "correct their rows"),
    fault(
        "undeclared_question",
        "a question that is implemented and not declared",
        Plugin,
        "declare it in the catalogue",
    ),
    fault("question_without_method", "a question that is declared and not implemented", Plugin, "implement it"),
    fault("token_without_decimals", "a token without decimals", Protocol, "report a token that has decimals"),
    fault("wrong_target", "a claim to a wrong target", Protocol, "list it as a contract of the deployment"),
    fault("number_of_nobody", "a claim with a number of nobody's", Protocol, "read it by a call that has the account"),
    fault("panic", "a panic", Protocol, "return an error there instead"),
    fault("too_many_reads", "too many reads, one after the other", Protocol, "await reads that need no other together"),
    AuthorFault {
        test: Cannot("it sends no claim: `plugin ask` tries them"),
        ..fault("wrong_amount", "a wrong amount: the claim pays another", Protocol, "Report what the claim pays")
    },
    AuthorFault {
        test: NO_FILE,
        ..fault("newer_glibc", "built with a newer glibc", File, "build it on the oldest system that shall run it")
    },
    AuthorFault { test: NO_FILE, ..fault("musl", "built for musl", File, "build it for") },
    AuthorFault {
        test: NO_FILE,
        ..fault("wrong_architecture", "built for another architecture", File, "build it for")
    },
    AuthorFault {
        test: Cannot("it has one plugin: the gateway sees it"),
        ask: Cannot("it has one plugin: the gateway sees it"),
        ..fault("slug_of_others", "a slug that another plugin serves", Neighbour, "rename it")
    },
    fault("loop", "a loop without an end", Protocol, "look for a loop without an end"),
];
