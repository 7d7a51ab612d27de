// Requests to a gateway: every answer has its gaps, and every amount is an exact string.

import { type Answer, parseBlocks, parseMissing } from './answer.js';
import { Problem } from './problem.js';
import type { Balance, Claimable, ClaimPlan, Event, NameRecord, Portfolio } from './types.js';

/** How a client reaches its gateway. */
export type Options = {
  /** The gateway's listener `base`, like `http://127.0.0.1:8080`. */
  url: string;
  /** How long one try may take, in milliseconds; 30,000 by default. */
  timeoutMs?: number;
  /** How often a request is repeated that the gateway was too busy for; 3 by default. */
  retries?: number;
  /** The longest wait before a repeated request that the gateway may ask for, in seconds; 60 by default. */
  retryAfterMaxSeconds?: number;
};

/** What every request takes. */
export type RequestOptions = { signal?: AbortSignal };
/** Slugs of the networks and protocols to read; all by default. */
export type Selection = RequestOptions & { network?: string; include?: string[]; exclude?: string[]; block?: string };
/** `worth` leaves out claims that cost more than they bring; `simulate` tries all claims, or none. */
export type ClaimSelection = Selection & { worth?: boolean; simulate?: boolean };

type Parameters = Record<string, string | boolean | string[] | undefined>;

/** A client of one gateway. Its methods reject with a `Problem` where the gateway refuses, and never return less. */
export class Portolan {
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #retryAfterMaxSeconds: number;

  constructor({ url, timeoutMs = 30_000, retries = 3, retryAfterMaxSeconds = 60 }: Options) {
    this.#url = url.replace(/\/$/, '');
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
    this.#retryAfterMaxSeconds = retryAfterMaxSeconds;
  }

  /** What the account can claim now. `claimsOf` makes claims of the rows. */
  async claimables(account: string, { signal, ...selection }: ClaimSelection = {}): Promise<Answer<{ rows: Claimable[] }>> {
    return this.#rows<Claimable>(`/claimables/${encodeURIComponent(account)}`, selection, signal);
  }

  /** What the account has in protocols and owes to them, by protocol, with totals. */
  async positions(account: string, { signal, ...selection }: ClaimSelection & { kind?: string[] } = {}): Promise<Answer<{ portfolio: Portfolio }>> {
    const { content, ...rest } = await this.#get<Portfolio>(`/positions/${encodeURIComponent(account)}`, selection, signal);
    return { portfolio: content, ...rest };
  }

  /** How to claim everything on one network. `claimOfPlan` makes one claim of it. */
  async plan(account: string, network: string, { signal, ...selection }: Omit<ClaimSelection, 'network' | 'simulate'> = {}): Promise<Answer<{ plan: ClaimPlan }>> {
    const parameters = { ...selection, network };
    const { content, ...rest } = await this.#get<ClaimPlan>(`/${encodeURIComponent(account)}/claim-plan`, parameters, signal);
    return { plan: content, ...rest };
  }

  /** The listed tokens that the account holds. */
  async balances(account: string, { signal, ...selection }: Omit<Selection, 'include' | 'exclude'> = {}): Promise<Answer<{ rows: Balance[] }>> {
    return this.#rows<Balance>(`/balance/${encodeURIComponent(account)}/token-balances`, selection, signal);
  }

  /** The decoded events of a transaction; `type` selects some. */
  async events(hash: string, network: string, { signal, ...selection }: RequestOptions & { type?: string[] } = {}): Promise<Answer<{ rows: Event[] }>> {
    return this.#rows<Event>(`/events/decode/${encodeURIComponent(hash)}`, { ...selection, network }, signal);
  }

  /** The address of a name, like `vitalik.eth`. */
  async addressOf(name: string, { signal, ...selection }: RequestOptions & { network?: string; block?: string } = {}): Promise<Answer<{ record: NameRecord }>> {
    return this.#record(`/ens/by-name/${encodeURIComponent(name)}`, selection, signal);
  }

  /** The name of an address. */
  async nameOf(address: string, { signal, ...selection }: RequestOptions & { network?: string; block?: string } = {}): Promise<Answer<{ record: NameRecord }>> {
    return this.#record(`/ens/by-address/${encodeURIComponent(address)}`, selection, signal);
  }

  async #record(path: string, parameters: Parameters, signal?: AbortSignal): Promise<Answer<{ record: NameRecord }>> {
    const { content, ...rest } = await this.#get<NameRecord>(path, parameters, signal);
    return { record: content, ...rest };
  }

  async #rows<Row>(path: string, parameters: Parameters, signal?: AbortSignal): Promise<Answer<{ rows: Row[] }>> {
    const { content, ...rest } = await this.#get<Row[]>(path, parameters, signal);
    return { rows: content, ...rest };
  }

  async #get<Content>(path: string, parameters: Parameters, signal?: AbortSignal): Promise<Answer<{ content: Content }>> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) search.set(name, String(value));
    }
    const url = `${this.#url}${path}${search.size > 0 ? `?${search}` : ''}`;
    const response = await this.#whenNotBusy(url, signal);
    return {
      content: (await response.json()) as Content,
      missing: parseMissing(response.headers.get('portolan-partial')),
      blocks: parseBlocks(response.headers.get('portolan-blocks')),
    };
  }

  /** Repeats a request that the gateway was too busy for, after the time that it named. */
  async #whenNotBusy(url: string, signal?: AbortSignal): Promise<Response> {
    for (let repeated = 0; ; repeated += 1) {
      const timeout = AbortSignal.timeout(this.#timeoutMs);
      const response = await fetch(url, {
        // Amounts would lose digits as numbers of JavaScript.
        headers: { accept: 'application/json;amounts=string' },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      if (response.ok) return response;
      const problem = await Problem.of(response);
      const wait = problem.status === 503 ? problem.retryAfterSeconds : null;
      if (wait === null || wait > this.#retryAfterMaxSeconds || repeated >= this.#retries) throw problem;
      await pause(wait * 1000, signal);
    }
  }
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}
