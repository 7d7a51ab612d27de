// Asks many tokens for one account's balance and answers what is not a plain zero, with a proof of the block.
//
// Invariant: each call has its whole cap of gas. Where the gas does not suffice for the next one, the reply ends before
// it. It trusts its calldata.
//
// Calldata: cap(4) account(20) token(20)*, at most 65,535 of them.
// Reply: magic(4) number(5) timestamp(5) gas at start(5) gas at end(5) done(3) parent(32) entry*
//   entry: 0xff                      255 zeros
//          gap(1) n(1) n bytes       `gap` zeros, then a balance of 1 to 32 bytes
//          gap(1) 0x21               `gap` zeros, then one that reverted, has no code, or returned less than a word
//          gap(1) 0x25               `gap` zeros, then one that is capped: to be asked alone, with more gas
//
// Memory: 0x00 a returned word, 0x20 the calldata of balanceOf, 0x44 the reply.
object "scan" {
  code {
    let start := gas()
    let cap := shr(224, calldataload(0))
    // What used more than this may have run dry inside: what it tells is not believed.
    let most := sub(sub(cap, shr(3, cap)), 1)
    // What must be left before a call: it keeps back 1/64; the rest is for a cold account, an entry and the end.
    let least := add(add(cap, shr(4, cap)), 50000)
    mstore(0x20, shl(224, 0x70a08231))
    mstore(0x24, shr(96, calldataload(4)))
    // A token's place less 12: the word there ends with its address, and a call looks at no more than that.
    let at := 12
    let last := sub(calldatasize(), 13)
    let since := at
    let out := 0x7f
    for {} 1 { at := add(at, 20) } {
      let before := gas()
      if or(lt(before, least), gt(at, last)) { break }
      let ok := staticcall(cap, calldataload(at), 0x20, 0x24, 0, 0x20)
      let capped := gt(sub(before, gas()), most)
      let failed := or(iszero(ok), lt(returndatasize(), 0x20))
      if or(or(mload(0), capped), failed) {
        let gap := div(sub(at, since), 20)
        since := add(at, 20)
        for {} gt(gap, 0xfe) { gap := sub(gap, 0xff) } {
          mstore8(out, 0xff)
          out := add(out, 1)
        }
        let bits := 0
        let told := add(0x21, shl(2, capped))
        if iszero(or(capped, failed)) {
          let word := mload(0)
          for {} shr(bits, word) {} { bits := add(bits, 8) }
          told := shr(3, bits)
          mstore(add(out, 2), shl(sub(256, bits), word))
        }
        mstore8(out, gap)
        mstore8(add(out, 1), told)
        out := add(add(out, 2), shr(3, bits))
      }
    }
    mstore(0x5f, blockhash(sub(number(), 1)))
    // 27 bytes; the five before them are spoiled.
    mstore(0x3f, or(
      or(shl(184, 0x50544e53), shl(144, number())),
      or(or(shl(104, timestamp()), shl(64, start)), or(shl(24, gas()), div(sub(at, 12), 20)))
    ))
    return(0x44, sub(out, 0x44))
  }
}
