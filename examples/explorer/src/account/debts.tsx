// Everything that the account owes.

import { factor, rate } from '../base/format.js';
import { Amount, Dollars } from '../base/number.js';
import { Card, Section, Table } from '../base/parts.js';
import type { Leg, Position } from '../api/types.js';
import { NetworkName, protocolName, TokenSymbol } from './names.js';
import type { AccountStore } from './store.js';
import { sumsOf } from './worth.js';

type Debt = { key: string; position: Position; leg: Leg };

export function Debts({ store }: { store: AccountStore }) {
  const debts: Debt[] = store.held.value.flatMap((position) =>
    position.legs.flatMap((leg, place) => (leg.role === 'borrowed' ? [{ key: `${position.id} ${place}`, position, leg }] : [])),
  );
  const progress = store.progress.positions.value;
  if (debts.length === 0) {
    if (progress.state !== 'whole') return null;
    return <Section title="Debts"><p class="empty">{store.positions.value.missing.length > 0 ? 'None, in what could be read.' : 'There are no debts.'}</p></Section>;
  }
  const name = ({ protocol }: Position) => protocolName(store.protocols.value.get(protocol.slug) ?? protocol);
  return (
    <Section title="Debts" aside={<Dollars of={sumsOf(debts.map(({ position }) => position)).debts} />}>
      <Card>
        <Table
          caption="Debts"
          rows={debts}
          keyOf={({ key }) => key}
          columns={[
            { title: 'Token', cell: ({ leg, position }) => <TokenSymbol token={leg.token} chainId={position.network.chainId} address={leg.tokenAddress} /> },
            { title: 'Owed to', cell: ({ position }) => <>{name(position)} <span class="note wide"><NetworkName network={position.network} /></span></> },
            { title: 'Amount', number: true, cell: ({ leg }) => <Amount of={leg.amount} /> },
            { title: 'Interest', number: true, wide: true, cell: ({ leg }) => (leg.rate === null ? <span class="unknown">not known</span> : rate(leg.rate)) },
            { title: 'Health', number: true, wide: true, cell: ({ position }) => (position.health?.factor == null ? <span class="unknown">not known</span> : factor(position.health.factor)) },
            { title: 'Value', number: true, cell: ({ leg }) => <Dollars of={leg.dollarValue} /> },
          ]}
        />
      </Card>
    </Section>
  );
}
