// What the account holds itself: native tokens, and tokens that are on a list.

import { useState } from 'preact/hooks';
import { compare, decimal } from '../base/decimal.js';
import { count, price } from '../base/format.js';
import { Amount, Dollars } from '../base/number.js';
import { Card, Section, Table, Tag } from '../base/parts.js';
import { Logo } from '../base/logo.js';
import { Words } from '../base/text.js';
import type { Balance } from '../api/types.js';
import { Failure } from './failure.js';
import { NetworkName, TokenMark } from './names.js';
import type { AccountStore } from './store.js';
import { balanceKey, heldOf, receiptsOf } from './worth.js';

const SHOWN_FIRST = 12;

export function Balances({ store }: { store: AccountStore }) {
  const [all, setAll] = useState(false);
  const receipts = receiptsOf(store.held.value);
  const rows = [...store.balances.value].filter(({ amount }) => compare(decimal(amount), decimal('0')) > 0).sort((one, other) => compare(decimal(other.dollarValue), decimal(one.dollarValue)));
  const progress = store.progress.balances.value;
  return (
    <Section title="Balances" note={progress.state === 'reading' && rows.length === 0 ? <span role="status">Reading…</span> : undefined} aside={rows.length > 0 ? <Dollars of={heldOf(rows, receipts)} /> : undefined}>
      <Failure progress={progress} retry={() => void store.readBalances()} />
      {progress.state === 'whole' && rows.length === 0 && <p class="empty">The account holds no listed token.</p>}
      {rows.length > 0 && (
        <Card>
          <Table<Balance>
            caption="Balances"
            rows={all ? rows : rows.slice(0, SHOWN_FIRST)}
            keyOf={balanceKey}
            columns={[
              {
                title: 'Token',
                cell: ({ token, network }) => (
                  <span class="token">
                    <Logo src={token.logo} name={token.symbol} />
                    <span>
                      <Words of={token.symbol} max={16} /> <TokenMark chainId={network.chainId} address={token.address} />
                      <span class="note line"><Words of={token.name} max={28} /></span>
                    </span>
                  </span>
                ),
              },
              { title: 'Network', wide: true, cell: ({ network }) => <NetworkName network={network} /> },
              { title: 'Price', number: true, wide: true, cell: (row) => (isPriced(row) ? <span class="number">{price(row.price)}</span> : <span class="unknown">not known</span>) },
              { title: 'Amount', number: true, cell: ({ amount }) => <Amount of={amount} /> },
              { title: 'Value', number: true, cell: (row) => <>{isPriced(row) ? <Dollars of={row.dollarValue} /> : <Dollars of={null} />}{receipts.has(balanceKey(row)) && <> <span title="It stands for a position above, and counts there."><Tag>in a position</Tag></span></>}</> },
            ]}
          />
          {rows.length > SHOWN_FIRST && <button type="button" class="more" aria-expanded={all} onClick={() => setAll(!all)}>{all ? 'Show fewer' : `Show ${count(rows.length - SHOWN_FIRST)} more`}</button>}
        </Card>
      )}
    </Section>
  );
}

function isPriced({ price: dollars }: Balance): boolean {
  return compare(decimal(dollars), decimal('0')) > 0;
}
