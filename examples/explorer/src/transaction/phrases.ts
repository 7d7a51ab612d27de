// Each type of event as a sentence. `{amount asset}` is an amount of a token, and `{user}` any other member. A part in
// brackets is left out where its member is not known, or names an address that the sentence has already.

import type { Event } from '../api/types.js';

const PHRASES: Record<Event['type'], string> = {
  ADD_LIQUIDITY: '{user} added {assets} to the pool {pool}',
  APPROVAL: '{owner} lets {spender} take {amount asset}',
  APPROVAL_FOR_ALL: '{operator} may take every piece of {collection} from {owner}: {approved}',
  BORROW: '{user} borrowed {amount asset}[, owed by {onBehalfOf}]',
  BRIDGE_IN: '{recipient} received {amount asset} from {remoteNetwork}[, sent by {user}]',
  BRIDGE_OUT: '{user} sent {amount asset} to {remoteNetwork}[, for {recipient}]',
  BURN: '{amount asset} of {from} was burned',
  CLAIM: '{user} claimed {amount asset}[ from {contract}]',
  COLLECT_FEES: '{user} collected {assets} of fees from the pool {pool}',
  DELEGATE: '{delegator} gave votes of {contract} to {toDelegate}[, before {fromDelegate}]',
  GAS: '{payer} paid {cost} of the native token for gas[, to {recipient}]',
  LIQUIDATION: '{liquidator} repaid {debtAmount debtAsset} of {borrower} and took {collateralAmount collateralAsset}',
  LOCK: '{user} locked {amount asset}[ in {contract}][ until {unlockTime}]',
  MINT: '{amount asset} was minted for {to}',
  NAME_REGISTERED: '{owner} registered the name {name}[ until {expires}][ for {cost} of the native token]',
  NAME_RENEWED: 'The name {name} was renewed[ until {expires}][ for {cost} of the native token]',
  NFT_APPROVAL: '{owner} lets {spender} take piece {tokenId} of {collection}',
  NFT_TRANSFER: 'Piece {tokenId} of {collection} went from {from} to {to}',
  PERMIT2: '{owner} lets {spender} take {amount asset}[ until {expiration}]',
  REMOVE_LIQUIDITY: '{user} took {assets} out of the pool {pool}',
  REPAY: '{user} repaid {amount asset}[, owed by {onBehalfOf}]',
  SAFE_EXECUTION: 'The Safe {contract} executed a transaction successfully: {success}',
  SAFE_OWNER_ADDED: '{owner} became an owner of the Safe {contract}',
  SAFE_OWNER_REMOVED: '{owner} stopped being an owner of the Safe {contract}',
  SAFE_RECEIVED: 'The Safe {contract} received {amount asset} from {sender}',
  SAFE_SENT: 'The Safe {contract} sent {amount asset} to {recipient}',
  SAFE_THRESHOLD: 'The Safe {contract} now needs {threshold} owners',
  STAKE: '{user} staked {amount asset}[ in {contract}]',
  SUPPLY: '{user} supplied {amount asset}[ for {onBehalfOf}]',
  SWAP: '{user} swapped {fromAmount fromToken} for {toAmount toToken}[, paid to {recipient}]',
  TRANSFER: '{amount asset} went from {from} to {to}',
  UNLOCK: '{user} unlocked {amount asset}[ in {contract}]',
  UNSTAKE: '{user} unstaked {amount asset}[ from {contract}]',
  UNWRAP: '{account} unwrapped {amount asset}',
  USER_OPERATION: 'A user operation of {account} cost {cost} of the native token[, paid by {paymaster}], and succeeded: {success}',
  VAULT_DEPOSIT: '{sender} put {amount asset} into the vault {vault}[ for {shares} shares][ of {owner}]',
  VAULT_WITHDRAW: '{sender} took {amount asset} out of the vault {vault}[ for {shares} shares][ of {owner}]',
  VOTE: '{voter} voted {support} on proposal {proposalId} of {contract}[ with {weight}][: “{reason}”]',
  WITHDRAW: '{user} withdrew {amount asset}[ of {onBehalfOf}]',
  WRAP: '{account} wrapped {amount asset}',
};

export type Piece = { text: string } | { member: string; of?: string };
type Members = Record<string, unknown>;

/** Returns the pieces of an event's sentence; null for a type that this page does not know. */
export function sentence(type: string, members: Members): Piece[] | null {
  const phrase: string | undefined = Object.hasOwn(PHRASES, type) ? PHRASES[type as Event['type']] : undefined;
  if (phrase === undefined) return null;
  const told = new Set<unknown>();
  return [...phrase.matchAll(/\[([^\]]*)\]|[^[]+/g)].flatMap(([whole, optional]) => {
    const part = pieces(optional ?? whole);
    const slots = part.flatMap((piece) => ('member' in piece ? [members[piece.member]] : []));
    const isKnown = slots.every((value) => value != null && !(isAddress(value) && told.has(value)));
    if (optional !== undefined && !isKnown) return [];
    slots.forEach((value) => told.add(value));
    return part;
  });
}

function pieces(phrase: string): Piece[] {
  return phrase.split(/(\{[^}]*\})/).flatMap((text): Piece[] => {
    if (text === '') return [];
    const [, slot] = /^\{(.*)\}$/.exec(text) ?? [];
    if (slot === undefined) return [{ text }];
    const [member = '', of] = slot.split(' ');
    return [{ member, ...(of === undefined ? {} : { of }) }];
  });
}

/** The members that hold a time. */
const TIMES = new Set(['expiration', 'expires', 'unlockTime']);

export function isTime(member: string): boolean {
  return TIMES.has(member);
}

export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{40}$/.test(value);
}
