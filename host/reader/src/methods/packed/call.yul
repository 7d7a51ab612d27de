// Calls many contracts and returns all their replies, with a proof of the chain and of the block.
//
// Invariant: each call has its whole cap of gas and sees nothing that another one wrote. Where the gas does not suffice
// for the next one, the reply ends before it. It trusts its calldata, which the host made: nothing of it is checked.
//
// Calldata: 0(1) cap(4) room(6) record*, at most 65,535 of them. `cap` is the gas of calls without their own, `room`
// the bytes of the longest data.
//   record: flags(1) [target(20)] [cap(4)] [length(2) data(length)]
//   flags: 0..3 a static call, an isolated call, the target's balance, the size of its code
//          0x04 the target of the record before, 0x08 the data before, 0x10 a cap of its own
// Reply: magic(4) number(5) timestamp(5) gas at start(5) gas at end(5) done(3) chain id(8) parent(32) entry*
//   entry: 0x00 count(2)                       so many replies of one zero word
//          0x01..0x20, then per word n(1) n bytes   so many words, without their leading zeros
//          0x22 length(3) bytes                any other reply
//          0x23 length(3) bytes                reverted
//          0x24                                no code: nothing was returned, and the target has none
//          0x25                                its gas was used up, or nearly
//          0x26                                too long to be carried
//
// Memory: 0x00 a returned word, 0x20..0x60 the head of an isolated call, 0x60 the data, behind it the reply. All places
// in the calldata are kept 11 less than they are: the word there has the flags in its 12th byte, and the target at its
// end, where a call looks at no more than the last 20 bytes.
object "call" {
  code {
    let head := calldataload(0)
    let cap := shr(224, shl(8, head))
    let size

    // Called by itself, it is the frame of an isolated call: kind(1) cap(4) target(20) data. It always reverts, so that
    // nothing the call wrote outlives it; with gas used * 2 + success (32), and what was returned.
    let kind := byte(0, head)
    if kind {
      let target := shr(96, calldataload(5))
      let told := 1
      switch kind
      case 1 {
        size := sub(calldatasize(), 25)
        calldatacopy(0, 25, size)
        let before := gas()
        told := call(cap, target, 0, 0, size, 0, 0)
        told := or(told, shl(1, sub(before, gas())))
        size := returndatasize()
        // A reply without a head is one that is too long.
        if gt(size, 0x100000) { revert(0, 1) }
        returndatacopy(0x20, 0, size)
      }
      default {
        mstore(0x20, balance(target))
        if eq(kind, 3) { mstore(0x20, extcodesize(target)) }
        size := 0x20
      }
      mstore(0, told)
      revert(0, add(size, 0x20))
    }

    let start := gas()
    let out := add(0xa3, shr(208, shl(40, head)))
    mstore(out, 0) // So that laying out data never grows the memory.
    let done
    let target
    let at

    for {} 1 {} {
      let since := at
      let word
      let ok
      let capped
      let limit := cap
      // What must be left before a call: it keeps back 1/64, in an isolated frame twice; the rest is for laying out
      // 64 KiB of data twice, for a cold account, and for a reply of 32 words and the end.
      let least := add(add(cap, shr(4, cap)), 120000)
      // A call that used more than this may have run dry inside: its reply is not believed.
      let most := sub(sub(cap, shr(3, cap)), 1)

      // The common record has a loop of its own: flags 0x08, a reply of one zero word.
      for {} 1 { at := add(at, 21) } {
        word := calldataload(at)
        let before := gas()
        if or(xor(byte(11, word), 8), lt(before, least)) { break }
        ok := staticcall(cap, word, 0x60, size, 0, 0x20)
        capped := gt(sub(before, gas()), most)
        if or(or(iszero(ok), xor(returndatasize(), 0x20)), or(mload(0), capped)) {
          limit := 0 // It was called, and returned something else.
          break
        }
      }
      let run := div(sub(at, since), 21)
      if run {
        target := calldataload(sub(at, 21))
        done := add(done, run)
        mstore(out, shl(232, run))
        out := add(out, 3)
      }

      let flags := byte(11, word)
      at := add(at, 12) // From here to the end of the record the true place.
      if iszero(and(flags, 4)) {
        target := word
        at := add(at, 20)
      }
      let offset := 0
      if limit {
        if and(flags, 0x10) {
          limit := shr(224, calldataload(at))
          least := add(add(limit, shr(4, limit)), 120000)
          at := add(at, 4)
          // Its account is touched before, so that what is measured is the call and not the way to it. (Where there is
          // no code, nothing runs dry.)
          most := sub(limit, lt(0, extcodesize(target)))
        }
        if or(lt(gas(), least), gt(at, calldatasize())) { break }
        if iszero(and(flags, 8)) {
          size := shr(240, calldataload(at))
          at := add(at, 2)
          calldatacopy(0x60, at, size)
          at := add(at, size)
        }
        // `word` is from here on what the call used.
        switch and(flags, 3)
        case 0 {
          let before := gas()
          ok := staticcall(limit, target, 0x60, size, 0, 0)
          word := sub(before, gas())
        }
        default {
          mstore(0, 0) // Where the reply was too long, the frame returns one byte.
          mstore(0x40, target)
          mstore(0x2c, or(shl(32, and(flags, 3)), limit))
          pop(call(gas(), address(), 0, 0x47, add(size, 25), 0, 0x20))
          if iszero(returndatasize()) { break } // The frame itself ran dry.
          offset := 0x20
          word := mload(0)
          ok := and(word, 1)
          word := shr(1, word)
        }
        // With a cap of its own, only a failure is one for lack of gas.
        capped := gt(word, or(most, sub(0, and(ok, shr(4, flags)))))
      }
      at := sub(at, 11)

      let length := sub(returndatasize(), offset)
      let kept := sub(0x26, capped)
      // Of a reply 1 MiB is carried, of a revert 4 KiB.
      if iszero(or(capped, gt(length, shl(shl(3, ok), 0x1000)))) {
        kept := sub(0x23, ok)
        if ok {
          if iszero(or(and(length, 31), gt(length, 0x400))) { kept := shr(5, length) }
          if iszero(length) { kept := add(0x22, shl(1, iszero(extcodesize(target)))) }
        }
        // Growing the memory by so many words and copying into them costs no more than that; then the words' zeros.
        let words := shr(5, add(length, 63))
        if lt(gas(), add(mul(words, add(7, shr(9, add(words, shr(4, out))))), 40000)) { break }
      }
      done := add(done, 1)
      mstore8(out, kept)
      out := add(out, 1)
      switch gt(kept, 0x21)
      case 0 {
        for { length := add(length, offset) } lt(offset, length) { offset := add(offset, 32) } {
          returndatacopy(0, offset, 32)
          word := mload(0)
          let bits := shl(7, lt(0, shr(128, word)))
          for {} shr(bits, word) {} { bits := add(bits, 8) }
          mstore8(out, shr(3, bits))
          mstore(add(out, 1), shl(sub(256, bits), word))
          out := add(add(out, 1), shr(3, bits))
        }
      }
      default {
        if lt(kept, 0x24) {
          mstore(out, shl(232, length))
          out := add(out, 3)
          returndatacopy(out, offset, length)
          out := add(out, length)
        }
      }
    }

    let base := add(0x60, shr(208, shl(40, calldataload(0))))
    mstore(add(base, 35), blockhash(sub(number(), 1)))
    // From here on, each spoils what is before it: the chain id is the last 8 bytes of its word, the rest 27.
    mstore(add(base, 3), chainid())
    mstore(sub(base, 5), or(
      or(shl(184, 0x50544e43), shl(144, number())),
      or(or(shl(104, timestamp()), shl(64, start)), or(shl(24, gas()), done))
    ))
    return(base, sub(out, base))
  }
}
