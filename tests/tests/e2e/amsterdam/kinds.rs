//! The kinds of native movement: a transaction of each, and the contracts that it needs.

use alloy::primitives::{Address, U256, address};
use alloy::sol_types::SolCall;
use serde_json::{Value, json};

use super::code::{Code, Payee, Wei};

alloy::sol! {
    interface Wrapper {
        function deposit();
        function withdraw(uint256 amount);
    }
}

pub(super) const ALICE: Address = address!("00000000000000000000000000000000000a11ce");
pub(super) const COINBASE: Address = address!("c014ba5ec014ba5ec014ba5ec014ba5ec014ba5e");
/// The wrapped ether of Ethereum.
pub(super) const WETH: Address = address!("c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2");
const BOB: Address = address!("0000000000000000000000000000000000000b0b");
const CAROL: Address = address!("00000000000000000000000000000000000ca201");
const DAVE: Address = address!("00000000000000000000000000000000000da7e0");
/// The precompiled contract that returns its data.
const IDENTITY: Address = address!("0000000000000000000000000000000000000004");
/// The second account of anvil's mnemonic, which has signed [`authorization`].
const DELEGATING: Address = address!("70997970c51812dc3a010c7d01b50e0d17dc79c8");
const DELEGATE: Address = address!("000000000000000000000000000000000000c0de");
const ETHER: u64 = 1_000_000_000_000_000_000;

/// One kind of native movement.
pub(super) struct Kind {
    pub(super) what: &'static str,
    /// To be sent by [`ALICE`].
    pub(super) transaction: Value,
    /// True if it succeeds.
    pub(super) succeeds: bool,
    /// True if a native movement of it has a log.
    pub(super) moves: bool,
}

/// A contract that is there before any transaction.
pub(super) struct Placed {
    pub(super) address: Address,
    pub(super) code: Code,
    pub(super) wei: u64,
}

/// All kinds, and the contracts that they need.
#[derive(Default)]
pub(super) struct Kinds {
    pub(super) kinds: Vec<Kind>,
    pub(super) contracts: Vec<Placed>,
}

impl Kinds {
    pub(super) fn all() -> Self {
        let mut all = Self::default();
        all.sent();
        all.called();
        all.created();
        all.destroyed();
        all.failed();
        all.delegated();
        all.wrapped();
        all
    }

    /// The accounts that have a part in some of them.
    pub(super) fn accounts(&self) -> Vec<Address> {
        let fixed = [ALICE, BOB, CAROL, DAVE, COINBASE, WETH, IDENTITY, DELEGATING, DELEGATE, Address::ZERO];
        fixed.into_iter().chain(self.contracts.iter().map(|placed| placed.address)).collect()
    }

    fn sent(&mut self) {
        self.moved("a transfer", BOB, 3 * ETHER + 1);
        self.still("a transfer to oneself", ALICE, 5 * ETHER);
        self.still("a transfer of nothing", BOB, 0);
        self.moved("a transfer to nobody", Address::ZERO, 7);
        self.moved("a transfer to a precompiled contract", IDENTITY, 11);
        self.moved("a transfer to whom blocks pay", COINBASE, 13);
        let taker = self.contract(Code::default().store(), 0);
        self.moved("a contract that takes it", taker, ETHER + 17);
    }

    fn called(&mut self) {
        let pay = |payee, wei| Code::default().pay(payee, wei);
        let forwarder = self.contract(pay(Payee::Of(BOB), Wei::Received), 0);
        self.moved("a call passes it on", forwarder, 19);
        let middle = self.contract(pay(Payee::Of(forwarder), Wei::Received).pay(Payee::Of(CAROL), Wei::Of(2)), 100);
        let outer = self.contract(pay(Payee::Of(middle), Wei::Received), 0);
        self.moved("calls within calls", outer, 23);
        let [bob, carol, dave] = [(BOB, 5), (CAROL, 7), (DAVE, 11)].map(|(to, wei)| (Payee::Of(to), Wei::Of(wei)));
        let splitter = self.contract(pay(bob.0, bob.1).pay(carol.0, carol.1).pay(dave.0, dave.1), 0);
        self.moved("several recipients, and a rest that stays", splitter, 29);
        let change = self.contract(pay(Payee::Of(BOB), Wei::Of(4)).pay(Payee::Caller, Wei::All), 0);
        self.moved("change comes back", change, 31);
        let generous = self.contract(pay(Payee::Caller, Wei::All), 9);
        self.moved("all of it comes back, and more", generous, 4);
        let bank = self.contract(pay(Payee::Caller, Wei::Of(ETHER / 3)), ETHER);
        self.moved("a payout for a call without value", bank, 0);
        let both = self.contract(pay(Payee::Caller, Wei::Of(37)).pay(Payee::Of(BOB), Wei::Of(37)), 37);
        self.moved("the same amount three times", both, 37);
        let tipper = self.contract(pay(Payee::Coinbase, Wei::Received), 0);
        self.moved("a payment to whom blocks pay", tipper, 41);
        let borrower = self.contract(Code::default().call_code(forwarder, Wei::Of(43)).log(), 50);
        self.moved("a contract runs another's code in its own name, with value", borrower, 6);
        let by_delegation = self.contract(Code::default().delegate_call(forwarder), 0);
        self.moved("a library passes on what its caller got", by_delegation, 47);
        let logger = self.contract(Code::default().store().log(), 0);
        self.still("code that runs and moves nothing", logger, 0);
        let idle = self.contract(pay(Payee::Of(BOB), Wei::Of(0)), 0);
        self.still("calls that carry nothing", idle, 0);
    }

    fn created(&mut self) {
        let runtime = Code::default().pay(Payee::Of(BOB), Wei::All);
        let init = Code::default().becomes(&runtime);
        self.creation("a contract is created with it", &init, 53, true);
        let paying = Code::default().pay(Payee::Of(CAROL), Wei::Of(9)).becomes(&runtime);
        self.creation("a constructor passes some on", &paying, 59, true);
        self.creation("a contract is created without any", &init, 0, false);
        let factory = self.contract(Code::default().create(&init, Wei::Received), 0);
        self.moved("a contract creates one with it", factory, 61);
        let factory = self.contract(Code::default().create2(&init, Wei::Of(60)).pay_created(Wei::Of(7)), 0);
        self.moved("one creates another by CREATE2 and calls it with value", factory, 67);
        let failing = Code::default().pay(Payee::Of(CAROL), Wei::All).revert();
        let factory = self.contract(Code::default().create(&failing, Wei::Received), 0);
        self.moved("a creation that fails within", factory, 71);
    }

    fn destroyed(&mut self) {
        let heir = |payee| Code::default().self_destruct(payee);
        let old = self.contract(heir(Payee::Of(BOB)), 73);
        self.moved("a contract ends and leaves all to another", old, 79);
        let old = self.contract(heir(Payee::Itself), 83);
        self.still("one that was there before ends for itself, and nothing is lost", old, 0);
        self.creation("one that ends in its constructor, for another", &heir(Payee::Of(CAROL)), 89, true);
        self.creation("one that ends in its constructor, for itself", &heir(Payee::Itself), 97, true);
        let child = Code::default().becomes(&heir(Payee::Of(DAVE)));
        let again = Code::default().create(&child, Wei::Of(50)).pay_created(Wei::Of(0)).pay_created(Wei::Of(3));
        let again = self.contract(again, 0);
        self.moved("one is created, ends, and is paid once more", again, 101);
        // Paid by the end of another, it runs no code, and what it has at the end of the transaction is lost.
        let child = Code::default().self_destruct(Payee::Of(DAVE));
        let place = self.next_address();
        let late = Code::default().self_destruct(Payee::Of(place.create2_from_code([0; 32], child.bytes())));
        self.contract(Code::default().create2(&child, Wei::Of(90)).create(&late, Wei::Of(13)), 0);
        self.moved("one ends and is paid after that, which is lost", place, 103);
    }

    fn failed(&mut self) {
        let refuser = self.contract(Code::default().pay(Payee::Of(BOB), Wei::Of(1)).revert(), 5);
        self.failing("a transaction that reverts", refuser, 107, 300_000);
        let endless = self.contract(Code::default().run_out_of_gas(), 0);
        self.failing("a transaction that runs out of gas", endless, 109, 100_000);
        let tolerant = Code::default().pay(Payee::Of(refuser), Wei::Of(100)).pay(Payee::Of(BOB), Wei::Of(1));
        let tolerant = self.contract(tolerant, 0);
        self.moved("a call that reverts within", tolerant, 113);
        let poor = self.contract(Code::default().pay(Payee::Of(BOB), Wei::Of(ETHER)).store(), 0);
        self.moved("a call with more than there is", poor, 127);
        let only_failing = self.contract(Code::default().pay(Payee::Of(refuser), Wei::Of(2)), 10);
        self.still("a call that reverts and is all", only_failing, 0);
        self.kinds.push(Kind {
            what: "a creation that reverts",
            transaction: json!({"data": Code::default().pay(Payee::Of(BOB), Wei::All).revert().hex(), "value": "0x83"}),
            succeeds: false,
            moves: false,
        });
    }

    /// An account whose transactions run the code of another address (EIP-7702).
    fn delegated(&mut self) {
        let code = Code::default().pay(Payee::Of(CAROL), Wei::Received).pay(Payee::Of(DAVE), Wei::Of(3));
        self.contracts.push(Placed { address: DELEGATE, code, wei: 0 });
        self.moved("a transfer to an account before it delegates", DELEGATING, 500);
        self.moved("an account that begins to delegate passes it on", DELEGATING, 131);
        if let Some(begins) = self.kinds.last_mut() {
            begins.transaction["authorizationList"] = authorization();
        }
        self.moved("an account that delegates passes it on", DELEGATING, 137);
        self.moved("one that delegates is called without value", DELEGATING, 0);
    }

    fn wrapped(&mut self) {
        self.moved("ether is wrapped", WETH, 139);
        if let Some(wraps) = self.kinds.last_mut() {
            wraps.transaction["data"] = data(&Wrapper::depositCall {});
        }
        self.moved("ether is unwrapped", WETH, 0);
        if let Some(unwraps) = self.kinds.last_mut() {
            unwraps.transaction["data"] = data(&Wrapper::withdrawCall { amount: U256::from(101) });
        }
    }

    /// The address of the next contract that is placed.
    fn next_address(&self) -> Address {
        Address::left_padding_from(&(0xc0de_0000_u64 + self.contracts.len() as u64).to_be_bytes())
    }

    fn contract(&mut self, code: Code, wei: u64) -> Address {
        let address = self.next_address();
        self.contracts.push(Placed { address, code, wei });
        address
    }

    fn moved(&mut self, what: &'static str, to: Address, value: u64) {
        let transaction = json!({"to": to, "value": U256::from(value)});
        self.kinds.push(Kind { what, transaction, succeeds: true, moves: true });
    }

    /// One that leaves no log of a native movement.
    fn still(&mut self, what: &'static str, to: Address, value: u64) {
        let transaction = json!({"to": to, "value": U256::from(value)});
        self.kinds.push(Kind { what, transaction, succeeds: true, moves: false });
    }

    fn creation(&mut self, what: &'static str, init: &Code, value: u64, moves: bool) {
        let transaction = json!({"data": init.hex(), "value": U256::from(value)});
        self.kinds.push(Kind { what, transaction, succeeds: true, moves });
    }

    fn failing(&mut self, what: &'static str, to: Address, value: u64, gas: u64) {
        let transaction = json!({"to": to, "value": U256::from(value), "gas": U256::from(gas)});
        self.kinds.push(Kind { what, transaction, succeeds: false, moves: false });
    }
}

fn data(call: &impl SolCall) -> Value {
    json!(alloy::hex::encode_prefixed(call.abi_encode()))
}

/// [`DELEGATING`] delegates to [`DELEGATE`], with its first nonce on chain 1.
fn authorization() -> Value {
    json!([{
        "address": DELEGATE, "chainId": "0x1", "nonce": "0x0", "yParity": "0x0",
        "r": "0xdadb7cf29b94be10472ebb8fdab0e1181bf3db727fec3ad888eeb0da911497d2",
        "s": "0xc4bc15e48732e343679dfd6049521c891d62f3ed32f82653a3a25901b3b205a",
    }])
}
