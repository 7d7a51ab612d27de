// Positions by protocol, with what could not be read of each.

import { compare, type Decimal, decimal, ZERO } from '../base/decimal.js';
import { count, rate } from '../base/format.js';
import { useState } from 'preact/hooks';
import { Amount, Dollars } from '../base/number.js';
import { Card, Section, Tag, useDisclosure } from '../base/parts.js';
import { Logo } from '../base/logo.js';
import { Words } from '../base/text.js';
import type { Leg, Position, Protocol } from '../api/types.js';
import { HealthDrawing, RangeDrawing } from './drawings.js';
import { Failure } from './failure.js';
import { GapNotice, isOfProtocol } from './gaps.js';
import { Lock, VestingSchedule } from './locks.js';
import { NetworkName, protocolName, TokenSymbol } from './names.js';
import { PositionDetails } from './position-details.js';
import type { AccountStore, Gap } from './store.js';
import { sumsOf } from './worth.js';

type Group = { slug: string; protocol: Protocol | undefined; positions: Position[]; gaps: Gap[]; net: Decimal; isPriced: boolean };

const SHOWN_FIRST = 6;

const KINDS: Record<string, string> = { lent: 'Lent', borrowed: 'Loan', staked: 'Staked', pooled: 'Pool', locked: 'Lock', vesting: 'Vesting' };
const ROLES: Record<string, string> = { supplied: 'supplied', borrowed: 'owed', staked: 'staked', pooled: 'in the pool', locked: 'locked', vesting: 'vesting', rewardOwed: 'reward', feeOwed: 'fees' };

export function Positions({ store }: { store: AccountStore }) {
  const groups = groupsOf(store);
  const progress = store.progress.positions.value;
  return (
    <Section title="Positions" note={progress.state === 'reading' ? <span role="status">Reading…</span> : undefined}>
      <Failure progress={progress} retry={() => void store.refresh()} />
      {progress.state === 'whole' && groups.length === 0 && <p class="empty">{store.positions.value.missing.length > 0 ? 'None, in what could be read.' : 'There are no positions.'}</p>}
      {groups.map(({ slug, protocol, positions, gaps, net, isPriced }) => (
        <Card key={slug} kind="list">
          <div class="card-head">
            <Logo src={protocol?.logo ?? null} name={protocol ? protocolName(protocol) : slug} />
            <h3>{protocol ? protocolName(protocol) : slug}</h3>
            {positions.length > 0 && <p class="total"><Dollars of={isPriced ? net : null} /></p>}
          </div>
          {gaps.map((gap) => <GapNotice key={`${gap.network} ${gap.reason}`} store={store} gap={gap} />)}
          <PositionList store={store} positions={positions} />
        </Card>
      ))}
    </Section>
  );
}

function PositionList({ store, positions }: { store: AccountStore; positions: Position[] }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <ul>
        {(all ? positions : positions.slice(0, SHOWN_FIRST)).map((position) => <PositionItem key={position.id} store={store} position={position} />)}
      </ul>
      {positions.length > SHOWN_FIRST && <button type="button" class="more" aria-expanded={all} onClick={() => setAll(!all)}>{all ? 'Show fewer' : `Show ${count(positions.length - SHOWN_FIRST)} more`}</button>}
    </>
  );
}

function PositionItem({ store, position }: { store: AccountStore; position: Position }) {
  const { name, network, kind, legs, rewards, dollarValue, number } = position;
  const details = useDisclosure('Details');
  const apr = rewards.find((reward) => reward.apr !== null)?.apr;
  return (
    <li class="position">
      <div class="what">
        <p class="title"><Words of={name} max={60} />{number !== null && <span class="note"> № {number}</span>}</p>
        <p class="note"><NetworkName network={network} /> <Tag>{KINDS[kind] ?? kind}</Tag>{apr != null && <Tag kind={compare(decimal(apr), ZERO) > 0 ? 'good' : 'plain'}>earns {rate(apr)} a year</Tag>} {details.button}</p>
      </div>
      <ul class="legs">
        {legs.map((leg, place) => <LegItem key={place} leg={leg} chainId={network.chainId} alone={legs.length === 1} />)}
      </ul>
      <p class="value"><Dollars of={dollarValue} /></p>
      <div class="drawn">
        {position.health && <HealthDrawing health={position.health} />}
        {position.range && <RangeDrawing range={position.range} />}
        <Lock unlocksAt={position.unlocksAt} isPermanent={position.isPermanent} />
        {position.vesting && <VestingSchedule vesting={position.vesting} token={legs[0]?.token ?? null} />}
      </div>
      {details.opened(() => <PositionDetails store={store} position={position} />)}
    </li>
  );
}

function LegItem({ leg: { role, amount, token, tokenAddress, rate: yearly, redeemsTo, isCollateral }, chainId, alone }: { leg: Leg; chainId: number; alone: boolean }) {
  const notes = [
    alone && role !== 'borrowed' ? '' : (ROLES[role] ?? role),
    isCollateral === false ? 'not as collateral' : '',
    yearly === null ? '' : `${rate(yearly)} a year`,
  ].filter((words) => words !== '');
  return (
    <li class={role === 'borrowed' ? 'owed' : undefined}>
      <Amount of={amount} /> <TokenSymbol token={token} chainId={chainId} address={tokenAddress} />
      {notes.length > 0 && <span class="note"> {notes.join(', ')}</span>}
      {redeemsTo && redeemsTo.length > 0 && (
        <ul class="redeems" aria-label="Redeems to">
          {redeemsTo.map((part) => <li key={part.tokenAddress}><Amount of={part.amount} /> <TokenSymbol token={part.token} chainId={chainId} address={part.tokenAddress} /></li>)}
        </ul>
      )}
    </li>
  );
}

function groupsOf(store: AccountStore): Group[] {
  const groups = new Map<string, { positions: Position[]; gaps: Gap[] }>();
  const group = (slug: string) => {
    const known = groups.get(slug) ?? { positions: [], gaps: [] };
    groups.set(slug, known);
    return known;
  };
  for (const position of store.held.value) group(position.protocol.slug).positions.push(position);
  for (const gap of store.gaps.value.filter(isOfProtocol)) group(gap.what).gaps.push(gap);
  const all = [...groups].map(([slug, { positions, gaps }]) => ({
    slug,
    protocol: store.protocols.value.get(slug),
    positions: positions.sort(byValue),
    gaps,
    net: sumsOf(positions).net,
    isPriced: positions.some(({ legs }) => legs.some(({ dollarValue }) => dollarValue !== null)),
  }));
  return all.sort((one, other) => compare(other.net, one.net));
}

function byValue(one: Position, other: Position): number {
  const value = (position: Position) => sumsOf([position]).net;
  return compare(value(other), value(one));
}
