// What surrounds the rows of an answer: the blocks that it was read at, and what could not be read.

/** Something that could not be read. The reference of partial reasons says what each `reason` means. */
export type Missing = {
  /** A protocol's slug, `tokens`, `events`, or `*` for everything on the network. */
  what: string;
  /** A network's slug, or `*`. */
  network: string;
  reason: string;
  /** How many of `what` are missing, where the gateway counts them. */
  count?: number;
};

/** An answer with its gaps: `missing` is empty if, and only if, the answer is whole. */
export type Answer<Content> = Content & {
  missing: Missing[];
  /** The block that each network was read at, by the network's slug. */
  blocks: Record<string, number>;
};

/** An answer that had to be whole has gaps. */
export class PartialAnswer extends Error {
  override readonly name = 'PartialAnswer';

  constructor(readonly missing: Missing[]) {
    super(`not everything could be read: ${missing.map((gap) => `${gap.what}/${gap.network} (${gap.reason})`).join(', ')}`);
  }
}

/**
 * Returns an answer that is whole.
 *
 * @throws PartialAnswer if something is missing.
 */
export function whole<Content>(answer: Answer<Content>): Content {
  if (answer.missing.length > 0) throw new PartialAnswer(answer.missing);
  return answer;
}

/** Parses the header `portolan-partial`. An entry that no rule fits is kept as it is, because it is a gap too. */
export function parseMissing(header: string | null): Missing[] {
  return split(header).map((entry) => {
    const [place = '', ...members] = entry.split(';');
    const slash = place.lastIndexOf('/');
    const parameters = new Map(members.map((member) => [member.slice(0, member.indexOf('=')), member.slice(member.indexOf('=') + 1)]));
    const count = parameters.get('count');
    return {
      what: slash < 0 ? place : place.slice(0, slash),
      network: slash < 0 ? '*' : place.slice(slash + 1),
      reason: parameters.get('reason') ?? place,
      ...(count === undefined ? {} : { count: Number(count) }),
    };
  });
}

/** Parses the header `portolan-blocks`. */
export function parseBlocks(header: string | null): Record<string, number> {
  return Object.fromEntries(
    split(header).map((entry) => {
      const equals = entry.indexOf('=');
      return [entry.slice(0, equals), Number(entry.slice(equals + 1))];
    }),
  );
}

function split(header: string | null): string[] {
  return (header ?? '').split(',').map((entry) => entry.trim()).filter((entry) => entry !== '');
}
