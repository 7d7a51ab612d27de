//! EVM code of a few instructions: contracts that move ether in one way each.
//!
//! Invariant: what an instruction of several bytes puts on the stack it takes off again, unless it says otherwise.

use alloy::primitives::Address;

const PUSH0: u8 = 0x5f;
const CALL: u8 = 0xf1;
const CALLCODE: u8 = 0xf2;
const POP: u8 = 0x50;
const MSTORE: u8 = 0x52;

/// How much a contract sends.
#[derive(Clone, Copy)]
pub(super) enum Wei {
    Of(u64),
    /// The value that its caller sent it.
    Received,
    /// Its whole balance.
    All,
}

/// Whom it sends that to.
#[derive(Clone, Copy)]
pub(super) enum Payee {
    Of(Address),
    Caller,
    Itself,
    Coinbase,
}

/// Code that runs from its first byte to its last one.
#[derive(Clone, Debug, Default)]
pub(super) struct Code(Vec<u8>);

impl Code {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn hex(&self) -> String {
        alloy::hex::encode_prefixed(&self.0)
    }

    /// Calls without data, with all gas and whatever comes of it.
    pub(super) fn pay(self, payee: Payee, wei: Wei) -> Self {
        self.op([PUSH0; 4]).wei(wei).payee(payee).op([0x5a, CALL, POP])
    }

    /// Runs another contract's code in its own name, with value.
    pub(super) fn call_code(self, of: Address, wei: Wei) -> Self {
        self.op([PUSH0; 4]).wei(wei).payee(Payee::Of(of)).op([0x5a, CALLCODE, POP])
    }

    /// Runs another contract's code in its own name.
    pub(super) fn delegate_call(self, to: Address) -> Self {
        self.op([PUSH0; 4]).payee(Payee::Of(to)).op([0x5a, 0xf4, POP])
    }

    /// Creates a contract and has its address on the stack.
    pub(super) fn create(self, init: &Self, wei: Wei) -> Self {
        self.memory(init).size(init).op([PUSH0]).wei(wei).op([0xf0])
    }

    /// The same by CREATE2, with salt zero.
    pub(super) fn create2(self, init: &Self, wei: Wei) -> Self {
        self.memory(init).op([PUSH0]).size(init).op([PUSH0]).wei(wei).op([0xf5])
    }

    /// Calls the address on the stack, which stays there.
    pub(super) fn pay_created(self, wei: Wei) -> Self {
        self.op([PUSH0; 4]).wei(wei).op([0x85, 0x5a, CALL, POP])
    }

    pub(super) fn self_destruct(self, payee: Payee) -> Self {
        self.payee(payee).op([0xff])
    }

    pub(super) fn revert(self) -> Self {
        self.op([PUSH0, PUSH0, 0xfd])
    }

    /// A log without topics and data.
    pub(super) fn log(self) -> Self {
        self.op([PUSH0, PUSH0, 0xa0])
    }

    /// Writes a slot, so that state changes.
    pub(super) fn store(self) -> Self {
        self.op([0x60, 1, PUSH0, 0x55])
    }

    /// As the first code: runs until no gas is left.
    pub(super) fn run_out_of_gas(self) -> Self {
        self.op([0x5b, PUSH0, 0x56])
    }

    /// As the end of a constructor: the contract has this code.
    pub(super) fn becomes(self, runtime: &Self) -> Self {
        self.memory(runtime).size(runtime).op([PUSH0, 0xf3])
    }

    fn op<const N: usize>(mut self, bytes: [u8; N]) -> Self {
        self.0.extend(bytes);
        self
    }

    fn size(self, of: &Self) -> Self {
        let [high, low] = u16::try_from(of.0.len()).unwrap().to_be_bytes();
        self.op([0x61, high, low])
    }

    /// Writes code to the beginning of memory.
    fn memory(self, code: &Self) -> Self {
        code.0.chunks(32).enumerate().fold(self, |written, (place, chunk)| {
            let mut word = [0; 32];
            word[..chunk.len()].copy_from_slice(chunk);
            let [high, low] = u16::try_from(32 * place).unwrap().to_be_bytes();
            written.op([0x7f]).op(word).op([0x61, high, low, MSTORE])
        })
    }

    fn wei(self, wei: Wei) -> Self {
        match wei {
            Wei::Of(wei) => self.op([0x67]).op(wei.to_be_bytes()),
            Wei::Received => self.op([0x34]),
            Wei::All => self.op([0x47]),
        }
    }

    fn payee(self, payee: Payee) -> Self {
        match payee {
            Payee::Of(address) => self.op([0x73]).op(address.into_array()),
            Payee::Caller => self.op([0x33]),
            Payee::Itself => self.op([0x30]),
            Payee::Coinbase => self.op([0x41]),
        }
    }
}
