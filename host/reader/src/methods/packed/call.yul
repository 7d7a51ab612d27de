// Calls many contracts and returns all their replies, with a proof of the chain and of the block.
//
// Invariant: each call gets its whole gas cap and sees no write of another call. If the remaining gas does not suffice
// for the next call, the reply ends before it. The program does not check its calldata, because the host made it.
//
// Calldata: 0(1) cap(4) room(6) record*, at most 65,535 records. `cap` is the gas of calls that have no cap of their
// own; `room` is the length of the longest data.
//   record: flags(1) [target(20)] [cap(4)] [length(2) data(length)]
//   flags: 0..3 static call, isolated call, balance of the target, size of its code
//          0x04 same target as the previous record, 0x08 same data, 0x10 the record has its own cap
// Reply: magic(4) number(5) timestamp(5) gas at start(5) gas at end(5) done(3) chain id(8) parent(32) entry*
//   entry: 0x00 count(2)                       `count` replies of one zero word
//          0x01..0x20, then per word n(1) n bytes   this many words, without their leading zeros
//          0x22 length(3) bytes                any other reply
//          0x23 length(3) bytes                the call reverted
//          0x24                                no code: the call returned nothing, and the target has no code
//          0x25                                the call used up its gas, or nearly all of it
//          0x26                                the reply is too long to be returned here
//
// Memory: 0x00 a returned word, 0x20..0x60 the head of an isolated call, 0x60 the data, then the reply. Positions in
// the calldata are stored minus 11, so that the word at a position has the flags in its 12th byte and the target in its
// last 20 bytes, which are all that a call uses.
object "call" {
  code {
    let head := calldataload(0)
    let cap := shr(224, shl(8, head))
    let size

    // A call from the program to itself is the frame of an isolated call: kind(1) cap(4) target(20) data. The frame
    // always reverts, which undoes all writes of the call. Its revert data is gas used * 2 + success (32), then the
    // returned data.
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
        // A reply that is too long is reported by one byte in place of the head.
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
    mstore(out, 0) // Allocates the memory now, so that copying data never expands it.
    let done
    let target
    let at

    for {} 1 {} {
      let since := at
      let word
      let ok
      let capped
      let limit := cap
      // Minimum gas before a call. The EVM withholds 1/64 of the gas, twice for an isolated call. The constant pays for
      // copying 64 KiB of data twice, a cold account, a reply of 32 words, and the end of the program.
      let least := add(add(cap, shr(4, cap)), 120000)
      // A call that used more may have run out of gas in an inner call, so its reply is not trusted.
      let most := sub(sub(cap, shr(3, cap)), 1)

      // Fast path for the most common record: flags 0x08 and a reply of one zero word.
      for {} 1 { at := add(at, 21) } {
        word := calldataload(at)
        let before := gas()
        if or(xor(byte(11, word), 8), lt(before, least)) { break }
        ok := staticcall(cap, word, 0x60, size, 0, 0x20)
        capped := gt(sub(before, gas()), most)
        if or(or(iszero(ok), xor(returndatasize(), 0x20)), or(mload(0), capped)) {
          limit := 0 // The call was made, but its reply is not one zero word.
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
      at := add(at, 12) // From here to the end of the record, `at` is the true position.
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
          // `extcodesize` warms the account, so that the measured gas is that of the call alone. A target without code
          // cannot run out of gas.
          most := sub(limit, lt(0, extcodesize(target)))
        }
        if or(lt(gas(), least), gt(at, calldatasize())) { break }
        if iszero(and(flags, 8)) {
          size := shr(240, calldataload(at))
          at := add(at, 2)
          calldatacopy(0x60, at, size)
          at := add(at, size)
        }
        // From here on, `word` is the gas that the call used.
        switch and(flags, 3)
        case 0 {
          let before := gas()
          ok := staticcall(limit, target, 0x60, size, 0, 0)
          word := sub(before, gas())
        }
        default {
          mstore(0, 0) // If the reply is too long, the frame returns only one byte.
          mstore(0x40, target)
          mstore(0x2c, or(shl(32, and(flags, 3)), limit))
          pop(call(gas(), address(), 0, 0x47, add(size, 25), 0, 0x20))
          if iszero(returndatasize()) { break } // The frame itself ran out of gas.
          offset := 0x20
          word := mload(0)
          ok := and(word, 1)
          word := shr(1, word)
        }
        // A call with its own cap counts as out of gas only if it failed.
        capped := gt(word, or(most, sub(0, and(ok, shr(4, flags)))))
      }
      at := sub(at, 11)

      let length := sub(returndatasize(), offset)
      let kept := sub(0x26, capped)
      // The longest reply that is returned has 1 MiB, the longest revert data 4 KiB.
      if iszero(or(capped, gt(length, shl(shl(3, ok), 0x1000)))) {
        kept := sub(0x23, ok)
        if ok {
          if iszero(or(and(length, 31), gt(length, 0x400))) { kept := shr(5, length) }
          if iszero(length) { kept := add(0x22, shl(1, iszero(extcodesize(target)))) }
        }
        // Upper bound of the gas for expanding the memory, copying the reply, and stripping the zeros of its words.
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
    // Each store overwrites the bytes before its value: the chain id is the last 8 bytes of its word, the rest of the
    // head the last 27.
    mstore(add(base, 3), chainid())
    mstore(sub(base, 5), or(
      or(shl(184, 0x50544e43), shl(144, number())),
      or(or(shl(104, timestamp()), shl(64, start)), or(shl(24, gas()), done))
    ))
    return(base, sub(out, base))
  }
}
