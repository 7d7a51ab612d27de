// Runs at an account's address and makes the account's calls. Each run is undone, and the reply reports its changes.
//
// Invariant: each run gets its whole gas and sees no change of another run. If the remaining gas does not suffice for
// the next run, the reply ends before it. To all other callers, the account behaves as one without code. The program
// does not check its calldata, because the host made it.
//
// Calldata, by the mode in its first byte:
//   0 all runs:  0(1) account(20) room(3) record*       `room` is the length of the longest body
//   1 one run:   1(1) account(20) body
//   2 watching:  2(1) account(20) body                  returns the watched words; reverts, so that nothing stays warm
//   record: length(3) cap(4) body                       `cap` is the gas of the run
//   body: tokens(1) own(1) spenders(1) token(20)* spender(20)* steps(1) step*
//   step: target(20) value(16) length(2) data(length)
// Watched words: the native balance, the balance of each token, and for each of the first `own` tokens and each spender
// the allowance and the approval for all. A token that does not answer counts as zero.
// Reply to all runs: magic(4) number(5) timestamp(5) gas at start(5) gas at end(5)
// done(3) chain id(8) parent(32); then for each run length(3) and
//   steps(1), per step success(1) gas(4) and, if it failed, length(2) data; changes(2), each place(2) before(32)
//   after(32). A run that used up its gas has length 0.
object "simulate" {
  code {
    if xor(caller(), address()) { stop() }

    function word(token, size) -> told {
      mstore(0x60, 0)
      if staticcall(400000, token, 0, size, 0x60, 0x20) {
        if gt(returndatasize(), 31) { told := mload(0x60) }
      }
    }

    // Writes the watched words and returns the end of them.
    function watch(out) -> end {
      let account := shr(96, calldataload(1))
      let counts := calldataload(21)
      mstore(out, balance(account))
      end := add(out, 32)
      let spenders := add(24, mul(20, byte(0, counts)))
      let steps := add(spenders, mul(20, byte(2, counts)))
      for { let at := 24 } lt(at, spenders) { at := add(at, 20) } {
        mstore(0, shl(224, 0x70a08231)) // balanceOf
        mstore(4, account)
        mstore(end, word(shr(96, calldataload(at)), 0x24))
        end := add(end, 32)
      }
      let owned := add(24, mul(20, byte(1, counts)))
      for { let at := 24 } lt(at, owned) { at := add(at, 20) } {
        let token := shr(96, calldataload(at))
        for { let by := spenders } lt(by, steps) { by := add(by, 20) } {
          mstore(0, shl(224, 0xdd62ed3e)) // allowance
          mstore(4, account)
          mstore(0x24, shr(96, calldataload(by)))
          mstore(end, word(token, 0x44))
          mstore(0, shl(224, 0xe985e9c5)) // isApprovedForAll
          mstore(4, account)
          mstore(add(end, 32), word(token, 0x44))
          end := add(end, 64)
        }
      }
    }

    function head(base, start, done) {
      mstore(base, or(
        or(or(shl(224, 0x50544e53), shl(184, number())), or(shl(144, timestamp()), shl(104, start))),
        or(shl(64, gas()), shl(40, done))
      ))
      mstore(add(base, 27), shl(192, chainid()))
      mstore(add(base, 35), blockhash(sub(number(), 1)))
    }

    // Makes the steps until one fails, writes their results, and returns the end of them.
    function make(at, data, base) -> out {
      let left := byte(0, calldataload(at))
      at := add(at, 1)
      out := add(base, 1)
      mstore8(base, 0)
      for {} left { left := sub(left, 1) } {
        let length := shr(240, calldataload(add(at, 36)))
        calldatacopy(data, add(at, 38), length)
        let target := shr(96, calldataload(at))
        // Warms the target, as a transaction does. The value is stored because the optimizer would drop an unused read.
        mstore(out, extcodesize(target))
        let used := gas()
        let ok := call(gas(), target, shr(128, calldataload(add(at, 20))), data, length, 0, 0)
        used := sub(used, gas())
        at := add(at, add(38, length))
        mstore8(base, add(byte(0, mload(base)), 1))
        mstore(out, or(shl(248, ok), shl(216, used)))
        out := add(out, 5)
        if iszero(ok) {
          left := 1
          length := returndatasize()
          if gt(length, 1024) { length := 1024 }
          mstore(out, shl(240, length))
          returndatacopy(add(out, 2), 0, length)
          out := add(out, add(2, length))
        }
      }
    }

    // Writes the words that changed and returns the end of them.
    function compare(before, after, base) -> out {
      out := add(base, 2)
      let count
      for { let at := before } lt(at, after) { at := add(at, 32) } {
        let is := mload(add(after, sub(at, before)))
        if xor(mload(at), is) {
          count := add(count, 1)
          mstore(out, shl(240, shr(5, sub(at, before))))
          mstore(add(out, 2), mload(at))
          mstore(add(out, 34), is)
          out := add(out, 66)
        }
      }
      mstore8(base, shr(8, count))
      mstore8(add(base, 1), count)
    }

    let mode := byte(0, calldataload(0))

    if gt(mode, 1) {
      revert(0xe0, sub(watch(0xe0), 0xe0))
    }

    if mode {
      let all := calldatasize()
      calldatacopy(0x80, 0, all)
      mstore8(0x80, 2)
      pop(call(gas(), address(), 0, 0x80, all, 0, 0))
      let size := returndatasize()
      if iszero(size) { revert(0, 0) }
      let before := add(0x80, all)
      returndatacopy(before, 0, size)
      let after := add(before, size)
      let data := add(after, size)
      let base := add(data, all)
      let counts := calldataload(21)
      let out := make(add(24, mul(20, add(byte(0, counts), byte(2, counts)))), data, base)
      pop(watch(after))
      revert(base, sub(compare(before, after, out), base))
    }

    let start := gas()
    let base := add(0xc0, shr(232, calldataload(21)))
    let out := add(base, 67)
    let done
    let at := 24
    for {} lt(at, calldatasize()) {} {
      let size := shr(232, calldataload(at))
      let cap := shr(224, calldataload(add(at, 3)))
      // The EVM withholds 1/64 of the gas; the constant pays for copying the result of the run.
      if lt(gas(), add(add(cap, shr(5, cap)), 200000)) { break }
      calldatacopy(0x80, 0, 21)
      mstore8(0x80, 1)
      calldatacopy(0x95, add(at, 7), size)
      pop(call(cap, address(), 0, 0x80, add(21, size), 0, 0))
      at := add(at, add(7, size))
      done := add(done, 1)
      mstore(out, shl(232, returndatasize()))
      returndatacopy(add(out, 3), 0, returndatasize())
      out := add(out, add(3, returndatasize()))
    }
    head(base, start, done)
    return(base, sub(out, base))
  }
}
