// One claim: what will be signed, in words, before a wallet sees it.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { claimsOf } from '../api/client.js';
import { slugOf } from '../api/networks.js';
import { Dollars, Amount } from '../base/number.js';
import { Notice } from '../base/parts.js';
import { Words } from '../base/text.js';
import { Modal } from '../base/modal.js';
import { byNetwork, type ClaimGroup, isSendable, VerdictTag } from '../account/claims.js';
import { networkName, protocolName, TokenSymbol } from '../account/names.js';
import type { AccountStore } from '../account/store.js';
import { Call } from './call.js';
import { Sending } from './sending.js';

export function Review({ store, group: opened, close }: { store: AccountStore; group: ClaimGroup; close: () => void }) {
  const scope = { protocols: [opened.first.protocol.slug], network: slugOf(opened.first.network.chainId) };
  // The function and the contract's source are in full answers alone.
  useEffect(() => {
    if (opened.first.plugin === undefined) void store.reread(scope, ['claimables']);
  }, []);
  // A claim that was made is gone from the account; its review stays as it was.
  const seen = useRef(opened);
  seen.current = byNetwork(store.claims.value).flatMap(({ groups }) => groups).find(({ id }) => id === opened.id) ?? seen.current;
  const group = seen.current;
  const { first, rows, value, net } = group;
  const protocol = store.protocols.value.get(first.protocol.slug) ?? first.protocol;
  const claim = useMemo(() => claimsOf(rows, store.address.value ?? '')[0], [JSON.stringify([first.claimTransaction, first.claimSteps])]);
  const calls = first.claimSteps ?? (first.claimTransaction ? [first.claimTransaction] : []);
  const order = useMemo(() => claim && { account: claim.account, chainId: claim.chainId, steps: claim.steps, together: null }, [claim]);
  return (
    <Modal title="Review the claim" close={close}>
      <p class="lead"><Words of={first.name} max={60} />, {protocolName(protocol)} on {networkName(first.network)}</p>
      <h3>It pays</h3>
      <ul class="pays-list">
        {rows.map((row) => (
          <li key={row.id}>
            <Amount of={row.amount} /> <TokenSymbol token={row.token} chainId={row.network.chainId} address={row.token.address} />
            {row.paidTo === 'lock' && ' into a lock of the account'}{row.paidTo === 'vault' && ' into a vault of the account'}
          </li>
        ))}
      </ul>
      <p class="note"><Dollars of={value} />{net !== null && <>, <Dollars of={net} /> after gas</>} <VerdictTag of={first} /></p>
      {(first.differs ?? []).length > 0 && <Notice kind="warn">{first.differs?.map((sentence) => <p key={sentence}><bdi>{sentence}</bdi></p>)}</Notice>}
      {first.simulated === null && <Notice>The claim was not tried, so what it pays is its contract’s word alone.</Notice>}
      <h3>Your wallet will show</h3>
      {calls.map((call, place) => <Call key={place} of={call} />)}
      {isSendable(group) && order ? <Sending order={order} done={() => void store.refresh()} /> : <Notice kind="bad">There is nothing to send: the claim is refused or fails now.</Notice>}
    </Modal>
  );
}
