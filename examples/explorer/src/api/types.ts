// Types of the gateway's answers. Amounts are strings of exact digits, because every request says `amounts=string`.

import type { components, Exact } from './client.js';

type Schemas = components['schemas'];

export type AccountEffects = Exact<Schemas['AccountEffects']>;
export type Leg = Exact<Schemas['Leg']>;
export type Movement = Exact<Schemas['Movement']>;
export type Network = Exact<Schemas['Network']>;
export type NetworkRow = Exact<Schemas['NetworkRow']>;
export type Position = Exact<Schemas['Position']>;
export type Protocol = Exact<Schemas['Protocol']>;
export type Provenance = Exact<Schemas['Provenance']>;
export type Report = Exact<Schemas['Report']>;
export type Token = Exact<Schemas['Token']>;
export type { Balance, Claimable, ClaimPlan, Event, Missing, Portfolio, Transaction } from './client.js';
