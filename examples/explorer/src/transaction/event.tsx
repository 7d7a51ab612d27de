// One event: its sentence, its protocol, and on demand all of its members.

import { protocolName } from '../account/names.js';
import type { Event, Token } from '../api/types.js';
import { amount, fullAmount, moment, shortHex } from '../base/format.js';
import { Disclosure, Tag } from '../base/parts.js';
import { Words } from '../base/text.js';
import { toAccount } from '../router.js';
import { membersOf } from './answer.js';
import { isAddress, isTime, type Piece, sentence } from './phrases.js';
import { Symbol } from './token.js';

/** From here on, an approval is one for everything: contracts and wallets use 2²⁵⁶−1, 2¹⁶⁰−1 and 2⁹⁶−1. */
const UNLIMITED_FROM = 2n ** 96n - 1n;
const APPROVALS = new Set(['APPROVAL', 'PERMIT2']);

export function EventRow({ event, account }: { event: Event; account: string | undefined }) {
  const members = membersOf(event);
  const pieces = sentence(event.type, members);
  return (
    <li class={event.partOf === undefined ? 'event' : 'event within'}>
      <p class="kinds">
        <span class="kind">{words(event.type)}</span>
        {event.protocol && <Tag kind="good"><Words of={protocolName(event.protocol)} /></Tag>}
        {event.partOf !== undefined && <Tag>part of log {event.partOf}</Tag>}
      </p>
      <p class="sentence">{pieces ? pieces.map((piece, index) => <Shown key={index} piece={piece} event={event} account={account} />) : 'An event of a type that this page does not know'}</p>
      <Disclosure summary="Details">
        <dl class="members">
          {Object.entries(members).map(([name, value]) => <Member key={name} name={name}><Value name={name} value={value} account={account} /></Member>)}
          {event.contract != null && <Member name="logged by"><Address of={event.contract} account={account} whole /></Member>}
          {event.logIndex != null && <Member name="log">{event.logIndex}</Member>}
          <Member name="decoded by">{event.plugin === undefined ? 'the gateway' : <Words of={event.plugin} />}</Member>
        </dl>
      </Disclosure>
    </li>
  );
}

function Member({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return <div><dt><Words of={name} /></dt><dd>{children}</dd></div>;
}

function Shown({ piece, event, account }: { piece: Piece; event: Event; account: string | undefined }) {
  if ('text' in piece) return <>{piece.text}</>;
  const members = membersOf(event);
  const value = members[piece.member];
  if (piece.of === undefined) return <Value name={piece.member} value={value} account={account} short />;
  const token = (members[piece.of] ?? null) as Token | null;
  const isAll = APPROVALS.has(event.type) && isUnlimited(members['amountRaw']);
  return <>{isAll ? <strong>any amount of</strong> : <Quantity of={value} />} <Symbol token={token} /></>;
}

function isUnlimited(raw: unknown): boolean {
  return typeof raw === 'string' && /^\d+$/.test(raw) && BigInt(raw) >= UNLIMITED_FROM;
}

function Quantity({ of, whole = false }: { of: unknown; whole?: boolean }) {
  if (typeof of !== 'string') return <span class="unknown">an unknown amount of</span>;
  return <data class="number" value={of} title={fullAmount(of)}>{whole ? fullAmount(of) : amount(of)}</data>;
}

const AMOUNTS = /^(amount|fee|cost|shares)$|Amount$/;

function Value({ name, value, account, short = false }: { name: string; value: unknown; account: string | undefined; short?: boolean }) {
  if (value == null) return <span class="unknown">not known</span>;
  if (isAddress(value)) return <Address of={value} account={account} whole={!short} />;
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>;
  if (typeof value === 'number') return isTime(name) ? <time dateTime={iso(value)}>{moment(value)}</time> : <>{value}</>;
  if (typeof value === 'string') {
    if (AMOUNTS.test(name)) return <Quantity of={value} whole={!short} />;
    return /^0x/.test(value) && short ? <code title={value}>{shortHex(value)}</code> : <Words of={value} max={short ? 40 : 256} />;
  }
  if (Array.isArray(value)) return <Assets of={value as { asset: Token | null; amount: string }[]} />;
  return <Named of={value as { name?: string | null; symbol?: string; address?: string; chainId?: number }} whole={!short} />;
}

function Assets({ of }: { of: { asset: Token | null; amount: string }[] }) {
  return <>{of.map(({ asset, amount }, index) => <span key={index}>{index > 0 && ' and '}<Quantity of={amount} /> <Symbol token={asset} /></span>)}</>;
}

/** A token or a network. */
function Named({ of: { symbol, name, address, chainId }, whole }: { of: { name?: string | null; symbol?: string; address?: string; chainId?: number }; whole: boolean }) {
  if (symbol === undefined) return name == null ? <>chain {chainId}</> : <Words of={name} />;
  return <><Words of={symbol} max={14} />{whole && <> <span class="note"><Words of={name ?? ''} /> <code>{address}</code></span></>}</>;
}

export function Address({ of, account, whole = false }: { of: string; account: string | undefined; whole?: boolean }) {
  return <a class={of === account ? 'mono own' : 'mono'} href={toAccount(of)} title={of}>{whole ? of : shortHex(of)}</a>;
}

function words(type: string): string {
  const text = type.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function iso(unixSeconds: number): string | undefined {
  return Math.abs(unixSeconds) <= 8.64e12 ? new Date(unixSeconds * 1000).toISOString() : undefined;
}
