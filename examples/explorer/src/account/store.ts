// Everything that the page knows about one account, and how it gets to know it.

import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Missing, parseMissing } from '../api/client.js';
import { type Answer, get, why } from '../api/get.js';
import { loadNetworks, slugOf } from '../api/networks.js';
import { type Job, stream } from '../api/stream.js';
import type { Balance, Claimable, Portfolio, Position, Protocol, Report, Token } from '../api/types.js';
import { type Gathered, nothing, ofAnswer, rowsOf, type Scope, withAnswer, withChange, withJob } from './gather.js';
import { isListed, type Mark, marksOf, type Tokens, withTokens } from './lookalikes.js';
import { addressIn, tokenKey } from '../base/ids.js';
import { watch } from './watch.js';

/** How far an answer is. A problem is a sentence. */
export type Progress = { state: 'reading' } | { state: 'whole' } | { state: 'failed'; why: string };

export type Question = 'claimables' | 'positions' | 'balances';

/** A gap, the questions that have it, and the gateway's sentence about it once it is there. */
export type Gap = Missing & { questions: Question[]; detail: string | undefined };

type Change = {
  blocks: string;
  partial: string | null;
  positions: { changed: Position[]; removed: string[] };
  claimables: { changed: Claimable[]; removed: string[] };
};

/** Balances are read anew at most this often while an account is watched. */
const BALANCES_EVERY_MS = 30_000;

export class AccountStore {
  readonly claimables: Signal<Gathered<Claimable>> = signal(nothing());
  readonly positions: Signal<Gathered<Position>> = signal(nothing());
  readonly balances = signal<Balance[]>([]);
  readonly balanceGaps = signal<Missing[]>([]);
  readonly progress = {
    claimables: signal<Progress>({ state: 'reading' }),
    positions: signal<Progress>({ state: 'reading' }),
    balances: signal<Progress>({ state: 'reading' }),
  };
  readonly blocks = signal<Record<string, number>>({});
  /** The address; null until it is known of a name. */
  readonly address: Signal<string | null>;
  readonly protocols = signal<ReadonlyMap<string, Protocol>>(new Map());
  /** `live` while a watch is open. */
  readonly live = signal<'no' | 'connecting' | 'live'>('no');
  /** Says what changed last, for screen readers too. */
  readonly news = signal('');
  /** Keys of protocol and network that are being read anew. */
  readonly rereading = signal<ReadonlySet<string>>(new Set());

  readonly #details = signal<ReadonlyMap<string, string>>(new Map());
  readonly #tokens = signal<Tokens>(new Map());
  readonly #ended = new AbortController();
  #balancesAt = 0;

  readonly claims: ReadonlySignal<Claimable[]> = computed(() => rowsOf(this.claimables.value));
  readonly held: ReadonlySignal<Position[]> = computed(() => rowsOf(this.positions.value));
  readonly marks: ReadonlySignal<Map<string, Mark>> = computed(() => marksOf(this.#tokens.value));
  readonly gaps: ReadonlySignal<Gap[]> = computed(() => this.#gaps());

  constructor(readonly account: string) {
    this.address = signal(addressIn(account));
  }

  /** Reads everything, and then watches the account until `end`. */
  async start(): Promise<void> {
    await loadNetworks().catch(() => undefined);
    await Promise.all([this.#readClaimables(), this.#readPositions(), this.readBalances()]);
    if (this.progress.positions.value.state === 'whole') this.#watch();
    await this.#markTokens();
  }

  end(): void {
    this.#ended.abort();
  }

  /** Reads everything anew. */
  async refresh(): Promise<void> {
    await Promise.all([this.#readClaimables(), this.#readPositions(), this.readBalances()]);
  }

  async #readClaimables(): Promise<void> {
    const isFirst = this.progress.claimables.value.state === 'reading';
    const onJob = (job: Job<Claimable>) => {
      // Later answers replace the rows that are shown at once.
      if (!isFirst) return;
      this.claimables.value = withJob(this.claimables.value, job);
      this.#see(job.rows, []);
    };
    await this.#follow('claimables', async () => {
      const { body, ...rest } = await stream<Claimable[], Claimable>(['claimables', this.account], { simulate: true }, onJob, this.#ended.signal);
      this.claimables.value = ofAnswer(body, rest.missing, slugOf);
      this.#see(body, []);
      return rest;
    });
  }

  async #readPositions(): Promise<void> {
    const isFirst = this.progress.positions.value.state === 'reading';
    const onJob = (job: Job<Position>) => {
      // The portfolio's totals take claims too; the page has them from their own question, with their trials.
      if (!isFirst || job.question === 'claimables') return;
      this.positions.value = withJob(this.positions.value, job);
      this.#see([], job.rows);
    };
    await this.#follow('positions', async () => {
      const { body, ...rest } = await stream<Portfolio, Position>(['positions', this.account], {}, onJob, this.#ended.signal);
      this.#seeProtocols(body.protocols.map(({ protocol }) => protocol));
      const rows = positionsOf(body);
      this.positions.value = ofAnswer(rows, rest.missing, slugOf);
      this.#see([], rows);
      return rest;
    });
  }

  async readBalances(): Promise<void> {
    this.#balancesAt = Date.now();
    await this.#follow('balances', async () => {
      const [native, tokens] = await Promise.all(
        ['native-balance', 'token-balances'].map((kind) => get<Balance[]>(['balance', this.account, kind], {}, this.#ended.signal)),
      );
      const answers = [native, tokens].filter((answer): answer is Answer<Balance[]> => answer !== undefined);
      this.balances.value = answers.flatMap(({ body }) => body);
      const missing = answers.flatMap((answer) => answer.missing);
      this.balanceGaps.value = missing.filter((gap, place) => missing.findIndex((other) => same(other, gap)) === place);
      this.#seeTokens(this.balances.value.map(({ network, token }) => [network.chainId, token]));
      return { blocks: Object.assign({}, ...answers.map(({ blocks }) => blocks)) as Record<string, number>, account: native?.account ?? null };
    });
  }

  /** Follows an answer to its end, and says what came of it. */
  async #follow(question: Question, read: () => Promise<Pick<Answer<unknown>, 'blocks' | 'account'>>): Promise<void> {
    const progress = this.progress[question];
    progress.value = { state: 'reading' };
    try {
      const { blocks, account } = await read();
      this.blocks.value = { ...this.blocks.value, ...blocks };
      this.address.value ??= account;
      progress.value = { state: 'whole' };
    } catch (failure) {
      if (!this.#ended.signal.aborted) progress.value = { state: 'failed', why: why(failure) };
    }
  }

  /**
   * Reads some protocols or networks anew, with everything that is known about their rows: another try after a failure,
   * and the source of each amount.
   */
  async reread(only: Scope, questions: Question[] = ['claimables', 'positions']): Promise<void> {
    const key = scopeKey(only);
    if (this.rereading.value.has(key)) return;
    this.rereading.value = new Set([...this.rereading.value, key]);
    const parameters = { detail: 'full', include: only.protocols?.join(','), network: only.network };
    try {
      await Promise.all([
        questions.includes('claimables') && this.#full<Claimable[]>(['claimables', this.account], { ...parameters, simulate: true }, only, (items, missing) => {
          const rows = items.flat();
          this.claimables.value = withAnswer(this.claimables.value, only, rows, missing, slugOf);
          this.#see(rows, []);
        }),
        questions.includes('positions') && this.#full<Portfolio>(['positions', this.account], parameters, only, (items, missing) => {
          const rows = items.flatMap(positionsOf);
          this.#seeProtocols(items.flatMap(({ protocols }) => protocols.map(({ protocol }) => protocol)));
          this.positions.value = withAnswer(this.positions.value, only, rows, missing, slugOf);
          this.#see([], rows);
        }),
        questions.includes('balances') && this.readBalances(),
      ]);
    } finally {
      this.rereading.value = new Set([...this.rereading.value].filter((other) => other !== key));
    }
  }

  async #full<Item>(path: string[], parameters: Record<string, string | boolean | undefined>, only: Scope, take: (items: Item[], missing: Missing[]) => void): Promise<void> {
    try {
      const { body, missing, blocks } = await get<{ items: Item[]; report: Report }>(path, parameters, this.#ended.signal);
      const details = body.report.jobs.filter(({ detail }) => detail !== '').map(({ protocol, network, detail }) => [`${path[0]} ${gapKey(protocol, network)}`, detail] as const);
      this.#details.value = new Map([...this.#details.value, ...details]);
      this.blocks.value = { ...this.blocks.value, ...blocks };
      take(body.items, missing);
    } catch (failure) {
      // Everything that was requested failed. What the page has stays, and so does the gap.
      this.#details.value = new Map(this.#details.value).set(`${path[0]} ${scopeKey(only)}`, why(failure));
    }
  }

  /** Only full answers say whether a list has a token. A logo comes from a list, so tokens without one are in doubt. */
  async #markTokens(): Promise<void> {
    const doubtful = new Set<string>();
    const look = ({ protocol, network }: Claimable | Position, token: Token | null) => {
      if (token && isListed(this.#tokens.value.get(tokenKey(network.chainId, token.address)) ?? token) === null) doubtful.add(protocol.slug);
    };
    for (const row of this.claims.value) look(row, row.token);
    for (const row of this.held.value) for (const { token } of row.legs) look(row, token);
    if (doubtful.size > 0) await this.reread({ protocols: [...doubtful] });
  }

  #watch(): void {
    let wasOpen = false;
    watch(this.account, this.#ended.signal, {
      state: (state) => (this.live.value = state),
      portfolio: ({ body, missing, blocks }) => {
        // Claims may have changed since they were read, if the watch was interrupted.
        if (wasOpen) void this.#readClaimables();
        wasOpen = true;
        this.blocks.value = { ...this.blocks.value, ...blocks };
        this.#keepFull(withAnswer(this.positions.value, {}, positionsOf(body), missing, slugOf));
      },
      blocks: (blocks) => {
        this.blocks.value = { ...this.blocks.value, ...blocks };
        if (Date.now() - this.#balancesAt > BALANCES_EVERY_MS) void this.readBalances();
      },
      change: (change) => this.#change(change as Change),
      problem: (detail) => (this.news.value = `The newest block could not be read: ${detail}`),
    });
  }

  /** Rows that say the same as before stay as they are, with what full answers said about them. */
  #keepFull(fresh: Gathered<Position>): void {
    const before = new Map(this.held.value.map((row) => [row.id, row]));
    const keep = (row: Position) => {
      const known = before.get(row.id);
      return known && sameLegs(known, row) ? { ...known, ...row, legs: known.legs } : row;
    };
    const parts = [...fresh.parts].map(([key, part]) => [key, { ...part, rows: part.rows.map(keep) }] as const);
    this.positions.value = { parts: new Map(parts), missing: fresh.missing };
  }

  #change({ partial, positions, claimables }: Change): void {
    this.positions.value = { ...withChange(this.positions.value, positions.changed, positions.removed, slugOf), missing: parseMissing(partial) };
    this.claimables.value = withChange(this.claimables.value, claimables.changed, claimables.removed, slugOf);
    this.#see(claimables.changed, positions.changed);
    const number = positions.changed.length + positions.removed.length + claimables.changed.length + claimables.removed.length;
    this.news.value = number === 1 ? 'One row changed with the newest block.' : `${number} rows changed with the newest block.`;
    void this.readBalances();
    void this.#markTokens();
  }

  #see(claims: Claimable[], positions: Position[]): void {
    this.#seeProtocols([...claims, ...positions].map(({ protocol }) => protocol));
    const ofClaims = claims.map(({ network, token }): [number, Token] => [network.chainId, token]);
    const ofPositions = positions.flatMap(({ network, legs, rewards }) =>
      [...legs, ...legs.flatMap(({ redeemsTo }) => redeemsTo ?? []), ...rewards].map(({ token }): [number, Token | null] => [network.chainId, token]),
    );
    this.#seeTokens([...ofClaims, ...ofPositions]);
  }

  #seeTokens(tokens: [number, Token | null][]): void {
    this.#tokens.value = withTokens(this.#tokens.value, tokens);
  }

  #seeProtocols(rows: Protocol[]): void {
    const known = new Map(this.protocols.value);
    for (const row of rows) known.set(row.slug, { ...known.get(row.slug), ...row });
    this.protocols.value = known;
  }

  #gaps(): Gap[] {
    const all = new Map<string, Gap>();
    const take = (question: Question, missing: readonly Missing[]) => {
      for (const gap of missing) {
        const key = `${gapKey(gap.what, gap.network)};${gap.reason}`;
        const known = all.get(key);
        const detail = this.#details.value.get(`${question} ${gapKey(gap.what, gap.network)}`);
        if (known) known.questions.push(question);
        else all.set(key, { ...gap, questions: [question], detail });
      }
    };
    take('claimables', this.claimables.value.missing);
    take('positions', this.positions.value.missing);
    take('balances', this.balanceGaps.value);
    return [...all.values()];
  }
}

/** The key of what is being read anew. */
export function scopeKey({ protocols = ['*'], network = '*' }: Scope): string {
  return gapKey(protocols.join(), network);
}

function gapKey(what: string, network: string): string {
  return `${what}/${network}`;
}

function positionsOf({ protocols }: Portfolio): Position[] {
  return protocols.flatMap(({ positions }) => positions);
}

function same(one: Missing, other: Missing): boolean {
  return one.what === other.what && one.network === other.network && one.reason === other.reason;
}

function sameLegs(one: Position, other: Position): boolean {
  const amounts = ({ legs }: Position) => legs.map(({ role, tokenAddress, amount, dollarValue }) => [role, tokenAddress, amount, dollarValue].join()).join(';');
  return amounts(one) === amounts(other);
}
