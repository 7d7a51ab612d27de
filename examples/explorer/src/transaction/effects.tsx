// What a transaction did for one account: in words, in and out, and its gas.

import type { AccountEffects, Movement } from '../api/types.js';
import { amount, count } from '../base/format.js';
import { Amount, Dollars } from '../base/number.js';
import { Notice, Section } from '../base/parts.js';
import { Words } from '../base/text.js';
import { Address } from './event.js';
import { isAddress } from './phrases.js';
import { Symbol } from './token.js';

export function Effects({ effects }: { effects: AccountEffects }) {
  return (
    <>
      <Summary of={effects.summary} account={effects.address} />
      {!effects.complete && <Notice kind="warn">This may not be all: <Words of={effects.incompleteReason ?? 'movements may be missing'} max={400} />.</Notice>}
      {effects.omitted > 0 && <Notice kind="warn">{count(effects.omitted)} more movements are not shown.</Notice>}
      <div class="flows">
        <Flow title="Received" empty="Nothing came in." movements={effects.in} sign="+" />
        <Flow title="Sent" empty="Nothing went out." movements={effects.out} sign="−" />
      </div>
      <Gas effects={effects} />
    </>
  );
}

/** The gateway's sentence. Tokens that could pass for others stand there by their addresses, which are long. */
function Summary({ of, account }: { of: string; account: string }) {
  const parts = of.split(/(0x[0-9a-f]{40})/);
  return <p class="told">{parts.map((part, index) => (isAddress(part) ? <Address key={index} of={part} account={account} /> : part !== '' && <Words key={index} of={part} max={400} />))}</p>;
}

function Flow({ title, empty, movements, sign }: { title: string; empty: string; movements: Movement[]; sign: string }) {
  return (
    <Section title={title}>
      {movements.length === 0
        ? <p class="note">{empty}</p>
        : <ul class="card movements">{movements.map((movement) => <Moved key={`${movement.tokenAddress} ${movement.tokenId}`} movement={movement} sign={sign} />)}</ul>}
    </Section>
  );
}

function Moved({ movement: { token, tokenAddress, tokenId, amount, dollarValue }, sign }: { movement: Movement; sign: string }) {
  return (
    <li>
      <span class="moved">
        <span aria-hidden="true">{sign}</span>
        <Amount of={amount} /> <Symbol token={token} address={tokenAddress} />
        {tokenId !== null && <> piece <Words of={tokenId} /></>}
      </span>
      <Dollars of={dollarValue} />
    </li>
  );
}

const GWEI = 9;

function Gas({ effects: { gas } }: { effects: AccountEffects }) {
  if (!gas) return <Section title="Gas"><p class="note">This account did not pay for the gas, or the node does not say so.</p></Section>;
  const fees = [['for data', gas.dataFee], ['for the operator', gas.operatorFee]].filter(([, wei]) => wei !== '0');
  return (
    <Section title="Gas">
      <ul class="card movements">
        <li>
          <span class="moved">
            <Amount of={gas.amount} /> <Symbol token={gas.token} />
            <span class="note">{count(gas.used)} units at {amount(`${gas.price}e-${GWEI}`)} gwei{fees.map(([what, wei]) => `, ${amount(`${wei}e-${GWEI}`)} gwei ${what}`)}</span>
          </span>
          <Dollars of={gas.dollarValue} />
        </li>
      </ul>
    </Section>
  );
}
