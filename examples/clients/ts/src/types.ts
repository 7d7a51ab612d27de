// The gateway's own types, as this client asks for them.

import type { components } from './schema.js';

/**
 * A type with exact amounts. The description has them as numbers or strings, for a request says which; this client asks
 * for strings, since numbers of JavaScript would lose digits.
 */
export type Exact<T> = [number | string] extends [T]
  ? Exclude<T, number>
  : T extends object
    ? { [Member in keyof T]: Exact<T[Member]> }
    : T;

type Schemas = components['schemas'];

export type Balance = Exact<Schemas['Balance']>;
export type Claimable = Exact<Schemas['Claimable']>;
export type ClaimPlan = Exact<Schemas['ClaimPlan']>;
export type Event = Exact<Schemas['Event']>;
export type NameRecord = Exact<Schemas['NameRecord']>;
export type Portfolio = Exact<Schemas['Portfolio']>;
export type Transaction = Exact<Schemas['Transaction']>;
