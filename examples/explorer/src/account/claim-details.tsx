// Everything about one claim: exact amounts, its trial, its cost, and where its numbers come from.

import { Fragment } from 'preact';
import { count, fullAmount, fullDollars } from '../base/format.js';
import { Hex } from '../base/hex.js';
import { Words } from '../base/text.js';
import { slugOf } from '../api/networks.js';
import type { ClaimGroup } from './claims.js';
import { Source } from './source.js';
import type { AccountStore } from './store.js';

export function ClaimDetails({ store, group: { first, rows, net } }: { store: AccountStore; group: ClaimGroup }) {
  const { simulation, cost, claimTransaction } = first;
  return (
    <>
      <dl class="facts">
        {rows.map((row) => (
          <Fragment key={row.id}>
            <dt>Says that it pays</dt>
            <dd>
              <span class="number">{fullAmount(row.amount)}</span> <Words of={row.token.symbol} /> (<Words of={row.token.name} />)<br />
              {row.token.address === '0x0' ? 'the native token' : <Hex of={row.token.address} what="the token’s address" />}
            </dd>
          </Fragment>
        ))}
        {simulation && (
          <>
            <dt>In its trial</dt>
            <dd>
              {simulation.receives?.map(({ tokenAddress, amount, amountRaw, symbol }) => (
                <p key={tokenAddress}>the account received <span class="number">{amount === null ? `${amountRaw} smallest units` : fullAmount(amount)}</span> {symbol === null ? <Hex of={tokenAddress} what="the token’s address" /> : <Words of={symbol} />}</p>
              ))}
              {simulation.gives?.map(({ tokenAddress, amount, amountRaw, symbol }) => (
                <p key={tokenAddress}>the account gave <span class="number">{amount === null ? `${amountRaw} smallest units` : fullAmount(amount)}</span> {symbol === null ? <Hex of={tokenAddress} what="the token’s address" /> : <Words of={symbol} />}</p>
              ))}
              {simulation.error !== null && <p>it failed: <bdi>{simulation.error}</bdi></p>}
              <p class="note">by {simulation.method ?? 'no method'}{simulation.gasUsed != null && <>, with <span class="number">{count(simulation.gasUsed)}</span> gas</>}</p>
            </dd>
          </>
        )}
        {cost && <><dt>Costs</dt><dd>{cost.dollars === null ? 'an unknown number of dollars' : <span class="number">{fullDollars(cost.dollars)}</span>}, for <span class="number">{count(cost.gas)}</span> gas</dd></>}
        {net !== null && <><dt>Left after gas</dt><dd><span class="number">{fullDollars(net)}</span></dd></>}
        {claimTransaction && <><dt>Calls</dt><dd><Hex of={claimTransaction.to} what="the contract’s address" /></dd></>}
      </dl>
      <Source provenance={first.provenance} tokens={rows.map(({ token }) => token)} plugin={first.plugin} load={() => store.reread({ protocols: [first.protocol.slug], network: slugOf(first.network.chainId) }, ['claimables'])} />
    </>
  );
}
