// Everything about one position: exact amounts, addresses, and where its numbers come from.

import { Fragment } from 'preact';
import { fullAmount, fullDollars, rate } from '../base/format.js';
import { Hex } from '../base/hex.js';
import { Words } from '../base/text.js';
import { slugOf } from '../api/networks.js';
import type { Position } from '../api/types.js';
import { Source } from './source.js';
import type { AccountStore } from './store.js';

export function PositionDetails({ store, position }: { store: AccountStore; position: Position }) {
  const { legs, rewards, contractAddress, market, type, nft, network, protocol, provenance, plugin } = position;
  return (
    <>
      <dl class="facts">
        {legs.map((leg, place) => (
          <Fragment key={place}>
            <dt><Words of={leg.name} /></dt>
            <dd>
              {leg.amount === null ? 'an amount that cannot be read' : <span class="number">{fullAmount(leg.amount)}</span>} {leg.token && <><Words of={leg.token.symbol} /> (<Words of={leg.token.name} />)</>}
              {leg.dollarValue !== null && <>, <span class="number">{fullDollars(leg.dollarValue)}</span></>}<br />
              {leg.tokenAddress === '0x0' ? 'the native token' : <Hex of={leg.tokenAddress} what="the token’s address" />}
            </dd>
          </Fragment>
        ))}
        {rewards.length > 0 && (
          <>
            <dt>Earns</dt>
            <dd>
              {rewards.map(({ token, tokenAddress, apr, ownPerSecond }) => (
                <p key={tokenAddress}>
                  {token ? <Words of={token.symbol} /> : <Hex of={tokenAddress} what="the token’s address" />}
                  {apr !== null && `, ${rate(apr)} a year`}
                  {ownPerSecond !== null && <>, <span class="number">{fullAmount(ownPerSecond)}</span> each second</>}
                </p>
              ))}
            </dd>
          </>
        )}
        <dt>Contract</dt>
        <dd><Hex of={contractAddress} what="the contract’s address" /></dd>
        {nft && <><dt>NFT</dt><dd>№ {nft.tokenId} of <Hex of={nft.collection} what="the collection’s address" /></dd></>}
        <dt>Mechanism</dt>
        <dd><bdi>{type}</bdi>, market <bdi>{market}</bdi></dd>
      </dl>
      <Source provenance={provenance} tokens={legs.map(({ token }) => token)} plugin={plugin} load={() => store.reread({ protocols: [protocol.slug], network: slugOf(network.chainId) }, ['positions'])} />
    </>
  );
}
