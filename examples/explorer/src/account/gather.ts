// Rows and gaps of one question about an account, as they come: by jobs, by whole answers, by another try, by a watch.

import type { Missing } from '../api/client.js';
import type { Job } from '../api/stream.js';

/** What rows of both questions have. */
export type AnyRow = { id: string; protocol: { slug: string }; network: { chainId: number } };

/** What is known of one protocol on one network. */
type Part<Row> = { protocol: string; network: string; rows: Row[] };

export type Gathered<Row> = {
  parts: ReadonlyMap<string, Part<Row>>;
  missing: readonly Missing[];
};

export const nothing = <Row>(): Gathered<Row> => ({ parts: new Map(), missing: [] });

export function rowsOf<Row>({ parts }: Gathered<Row>): Row[] {
  return [...parts.values()].flatMap(({ rows }) => rows);
}

/** Takes the rows of a job, in place of those of an earlier one with the same question. */
export function withJob<Row>(gathered: Gathered<Row>, { protocol, network, question, failure, rows }: Job<Row>): Gathered<Row> {
  const parts = new Map(gathered.parts).set(`${protocol}/${network}/${question}`, { protocol, network, rows });
  const missing = failure === null ? gathered.missing : withGap(gathered.missing, { what: protocol, network, reason: failure });
  return { parts, missing };
}

/** Takes a whole answer, in place of everything. */
export function ofAnswer<Row extends AnyRow>(rows: Row[], missing: Missing[], slugOf: (chainId: number) => string): Gathered<Row> {
  return { parts: byPart(rows, slugOf), missing };
}

/**
 * Takes an answer about some protocols or networks, in place of what was known of them. What was read before, and could
 * not be read this time, stays.
 */
export function withAnswer<Row extends AnyRow>(gathered: Gathered<Row>, only: Scope, rows: Row[], missing: Missing[], slugOf: (chainId: number) => string): Gathered<Row> {
  const isNew = ({ what, network }: Missing) => !gathered.missing.some((gap) => gap.what === what && gap.network === network);
  const stays = (protocol: string, network: string) =>
    missing.some((gap) => isNew(gap) && (gap.what === '*' || gap.what === protocol) && (gap.network === '*' || gap.network === network));
  const before = [...gathered.parts].filter(([, { protocol, network }]) => !covers(only, protocol, network) || stays(protocol, network));
  const now = [...byPart(rows, slugOf)].filter(([, { protocol, network }]) => !stays(protocol, network));
  const gaps = gathered.missing.filter((gap) => !covers(only, gap.what, gap.network));
  return { parts: new Map([...before, ...now]), missing: missing.filter((gap) => !isNew(gap)).reduce(withGap, gaps) };
}

/** Takes what a watch says has changed. */
export function withChange<Row extends AnyRow>(gathered: Gathered<Row>, changed: Row[], removed: string[], slugOf: (chainId: number) => string): Gathered<Row> {
  const gone = new Set([...removed, ...changed.map(({ id }) => id)]);
  // A row that changed stays where it stands, so that nothing jumps below the reader's finger.
  const now = new Map(changed.map((row) => [row.id, row]));
  const rows = rowsOf(gathered).flatMap((row) => {
    if (!gone.has(row.id)) return [row];
    const fresh = now.get(row.id);
    now.delete(row.id);
    return fresh ? [fresh] : [];
  });
  return { parts: byPart([...rows, ...now.values()], slugOf), missing: gathered.missing };
}

/** The protocols and networks that a request was about; everything where it names none. */
export type Scope = { protocols?: string[]; network?: string };

function covers(only: Scope, protocol: string, network: string): boolean {
  return (only.protocols === undefined || only.protocols.includes(protocol)) && (only.network === undefined || only.network === network);
}

function withGap(missing: readonly Missing[], gap: Missing): readonly Missing[] {
  const same = ({ what, network, reason }: Missing) => what === gap.what && network === gap.network && reason === gap.reason;
  return missing.some(same) ? missing : [...missing, gap];
}

function byPart<Row extends AnyRow>(rows: Row[], slugOf: (chainId: number) => string): Map<string, Part<Row>> {
  const parts = new Map<string, Part<Row>>();
  for (const row of rows) {
    const [protocol, network] = [row.protocol.slug, slugOf(row.network.chainId)];
    const key = `${protocol}/${network}`;
    const part = parts.get(key);
    if (part) part.rows.push(row);
    else parts.set(key, { protocol, network, rows: [row] });
  }
  return parts;
}
