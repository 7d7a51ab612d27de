// Writes the records of `tests/peers/records` anew: `node record.mjs CLONE WRITTEN`.
//
// CLONE is a git repository of consensys-vertical-apps/mmi-defi-adapters. WRITTEN is the folder that the test `peers` wrote
// with `PORTOLAN_PEERS_WRITE=WRITTEN`: which reads of ours lack a reply, and what our plugins answer. A reply of a peer
// leads to further reads, so run both in turn until no record changes.
//
// The snapshots have no requests, only the MD5 of each beside its reply. So a reply is found if one of our reads is the
// same call of the same contract at the same block, and nothing else can be found.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const [clone, written] = process.argv.slice(2)
const here = new URL('.', import.meta.url).pathname
const { commit, licence, cases } = JSON.parse(readFileSync(`${here}cases.json`))
const ADAPTERS = 'packages/adapters-library/src/adapters'
const NATIVE = `0x${'0'.repeat(40)}`
const show = (path) => execFileSync('git', ['-C', clone, 'show', `${commit}:${path}`], { maxBuffer: 1 << 28 }).toString()

// The request's address is part of what is hashed.
const config = show('packages/adapters-library/src/config.ts')
const endpoint = (chain) => config.match(new RegExp(`\\n  ${chain}: parseStringEnv\\(\\s*[^,]+,\\s*'([^']+)'`))[1]
const CHAINS = { ethereum: 1, op: 10, bsc: 56, matic: 137, base: 8453, arb: 42161, avax: 43114, linea: 59144 }

const raw = (text) => BigInt(String(text ?? 0).replace(/n$/, ''))
const token = (address) => {
  const lower = address.toLowerCase()
  return /^0xe{40}$/.test(lower) ? NATIVE : lower
}

/** Every amount of a snapshot: part, token, amount, and why we may lack it. */
function* amounts(tokens, depth, isClaimable) {
  for (const row of tokens ?? []) {
    const claimable = isClaimable || row.type === 'underlying-claimable'
    const why =
      row.type === 'protocol' ? 'counts the position, which is answered in what it stands for'
      : depth > 1 ? 'what an underlying token stands for in turn, which is answered about that token'
      : ''
    // 0 and 1 stand for a position without a token.
    if (raw(row.balanceRaw) > 1n) yield [claimable ? 'claimable' : 'held', token(row.address), String(raw(row.balanceRaw)), why]
    yield* amounts(row.tokens, depth + 1, claimable)
  }
}

const sorted = (rows) => [...new Map(rows.map((row) => [row.slice(0, 3).join(), row])).values()].sort((a, b) => (String(a) < String(b) ? -1 : 1))

let changed = 0
mkdirSync(`${here}records`, { recursive: true })
for (const { name, plugin, protocol, account, paths, timestamp, ours = [], theirs = [], wiring = [] } of cases) {
  const file = `${here}records/${name}.json`
  const snapshots = paths.map((path) => JSON.parse(show(`${ADAPTERS}/${path}`)))
  const chain = paths[0].match(/snapshots\/(\w+)\./)[1]
  const blocks = new Set(snapshots.map((snapshot) => snapshot.blockNumber))
  if (blocks.size !== 1) throw Error(`${name} has blocks ${[...blocks]}`)
  const [block] = blocks
  const known = Object.assign({}, ...snapshots.map((snapshot) => snapshot.rpcResponses))
  const reply = (to, from, data) => {
    for (const call of [{ to, data }, ...(from ? [{ from, to, data }] : []), { from: account, to, data }]) {
      const request = JSON.stringify({ method: 'eth_call', params: [call, `0x${block.toString(16)}`] })
      const found = known[createHash('md5').update(endpoint(chain) + request).digest('hex')]
      if (found) return found
    }
  }
  const before = existsSync(file) ? JSON.parse(readFileSync(file)) : { replies: [] }
  const asked = existsSync(`${written}/${name}.json`) ? JSON.parse(readFileSync(`${written}/${name}.json`)) : { unanswered: [], amounts: [] }
  const replies = [...before.replies]
  for (const [to, from, data] of asked.unanswered) {
    const found = reply(to, from, data)
    if (found) replies.push([to, data, found.error ? null : found.result])
  }
  const found = snapshots.flatMap(({ snapshot }) => snapshot.flatMap((row) => [...amounts(row.tokens, 0, false)]))
  const theirAmounts = sorted(found)
  const key = (row) => row.slice(0, 3).join()
  const our = new Set(asked.amounts.map(key)), their = new Set(theirAmounts.map(key))
  // A reason counts for a token, or for an amount of it.
  const reason = (list, [, of, amount], other) => (list.find(([address, why, only]) => (address === of || address === '*') && (!only || only === amount)) ?? [, other])[1]
  const record = {
    source: paths.map((path) => `${ADAPTERS}/${path}`).join(' '),
    plugin, protocol, network: CHAINS[chain], account: account.toLowerCase(), block, timestamp: timestamp ?? null,
    same: theirAmounts.filter((row) => our.has(key(row))).map((row) => row.slice(0, 3)),
    ours: asked.amounts.filter((row) => !their.has(key(row))).map((row) => [...row, reason(ours, row, '')]),
    theirs: theirAmounts.filter((row) => !our.has(key(row))).map((row) => [...row.slice(0, 3), row[3] || reason(theirs, row, '')]),
    replies: sorted(replies),
    wiring,
  }
  const line = (list) => (list.length ? `[\n${list.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]` : '[]')
  const text = `{\n${Object.entries(record).map(([member, value]) => `  "${member}": ${Array.isArray(value) ? line(value) : JSON.stringify(value)}`).join(',\n')}\n}\n`
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) changed += 1
  writeFileSync(file, text)
  const lacks = asked.unanswered.filter(([to, from, data]) => !reply(to, from, data)).length
  console.log(`${name}: ${record.same.length} same, ${record.ours.length} ours, ${record.theirs.length} theirs; ${replies.length} replies of ${Object.keys(known).length}, ${lacks} lack`)
}
console.log(`${changed} records changed, licence of the source: ${licence}`)
