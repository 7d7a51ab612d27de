// What is missing in the charts, and why.

import { Section } from '../base/parts.js';
import { Words } from '../base/text.js';
import { isStanding } from '../base/reasons.js';
import { reasonOf } from './reasons.js';
import type { Point } from './reading.js';
import { type Gap, gapsOf, placeOf, type Value } from './series.js';
import { shownTime } from './words.js';

/** Days that are named one by one. */
const NAMED_MAX = 3;

type Props = { points: Point[]; net: Value[]; position: Value[] | null; onAgain: () => void };

export function Gaps({ points, net, position, onAgain }: Props) {
  const ofNet = gapsOf(points, net);
  const ofPosition = position ? gapsOf(points, position).filter(({ why }) => !ofNet.some((gap) => gap.why === why)) : [];
  const never = standing(points);
  if (ofNet.length + ofPosition.length + never.length === 0) return null;
  const isRunning = points.some(({ state }) => state === 'waiting' || state === 'reading');
  return (
    <Section title="What could not be read" aside={ofNet.length > 0 && <button type="button" class="quiet" disabled={isRunning} onClick={onAgain}>Try again</button>}>
      <ul class="gaps">
        {ofNet.map((gap) => <Row key={gap.why} gap={gap} />)}
        {ofPosition.map((gap) => <Row key={gap.why} gap={gap} of="The position" />)}
        {never.map(([reason, places]) => <li key={reason}>In no point: <Words of={places.join(', ')} max={200} />; {reasonOf(reason) ?? <Words of={reason} />}</li>)}
      </ul>
    </Section>
  );
}

function Row({ gap: { why, times }, of }: { gap: Gap; of?: string }) {
  const days = times.length <= NAMED_MAX ? times.map(shownTime).join(', ') : `${times.length} points from ${shownTime(times[0]!)} to ${shownTime(times.at(-1)!)}`;
  return <li>{of !== undefined && `${of}, `}{days}: <Words of={why} max={400} /></li>;
}

/** Returns what is missing at every block, by reasons. */
function standing(points: Point[]): [reason: string, places: string[]][] {
  const all = points.flatMap((point) => (point.state === 'read' ? point.answer.missing : [])).filter(({ reason }) => isStanding(reason));
  const reasons = new Set(all.map(({ reason }) => reason));
  return [...reasons].map((reason) => [reason, [...new Set(all.filter((gap) => gap.reason === reason).map(placeOf))]]);
}
