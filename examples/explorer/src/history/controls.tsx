// What the charts show: how many days, which networks, and how far the reading is.

import type { Known } from '../api/networks.js';
import type { Point } from './reading.js';
import { RANGES } from './times.js';

type Props = {
  days: number;
  onDays: (days: number) => void;
  networks: Known[];
  network: string | undefined;
  onNetwork: (slug: string | undefined) => void;
  points: Point[];
};

export function Controls({ days, onDays, networks, network, onNetwork, points }: Props) {
  return (
    <div class="controls">
      <fieldset class="ranges">
        <legend class="hidden">Range</legend>
        {RANGES.map((range) => (
          <label key={range.days}>
            <input type="radio" name="range" value={range.days} checked={range.days === days} onChange={() => onDays(range.days)} />
            <span>{range.days} days</span>
          </label>
        ))}
      </fieldset>
      <select aria-label="Network" value={network ?? ''} onChange={(event) => onNetwork(event.currentTarget.value || undefined)}>
        <option value="">All networks</option>
        {networks.map(({ slug, name }) => <option key={slug} value={slug}>{name}</option>)}
      </select>
      <Progress points={points} />
    </div>
  );
}

function Progress({ points }: { points: Point[] }) {
  const ended = points.filter(({ state }) => state === 'read' || state === 'failed').length;
  if (ended < points.length) {
    return (
      <label class="note progress">
        <progress max={points.length} value={ended} /> {ended} of {points.length} points
      </label>
    );
  }
  const failed = points.filter(({ state }) => state === 'failed').length;
  return <p class="note" role="status">{failed === 0 ? `${points.length} points were read.` : `${points.length - failed} of ${points.length} points were read.`}</p>;
}
