// The points of a chart as they come in: the newest first, two at a time, and each read once.

import { useEffect, useState } from 'preact/hooks';
import { pool } from './pool.js';
import { isStanding } from '../base/reasons.js';
import { type Point, read } from './reading.js';

/** Points that are read side by side. Each one is an answer over all networks. */
const AT_ONCE = 2;
/** Points that are kept for the other ranges: those of all ranges, for some accounts and networks. */
const KEPT_MAX = 600;

const kept = new Map<string, Point>();

/** Returns the points at these times, and a function that reads those again that are missing. */
export function usePoints(account: string, network: string | undefined, times: number[]): [points: Point[], again: () => void] {
  const wanted = `${account} ${network ?? '*'} ${times.join(' ')}`;
  const key = (at: number) => `${account} ${network ?? '*'} ${at}`;
  const start = () => times.map((at): Point => kept.get(key(at)) ?? { at, state: 'waiting' });
  const [attempt, setAttempt] = useState(0);
  const [shown, setShown] = useState({ wanted, points: start() });
  const points = shown.wanted === wanted ? shown.points : start();

  useEffect(() => {
    const stop = new AbortController();
    let now = start();
    const put = (point: Point) => {
      if (stop.signal.aborted) return;
      now = now.map((other) => (other.at === point.at ? point : other));
      setShown({ wanted, points: now });
    };
    setShown({ wanted, points: now });
    const missing = times.filter((at) => !kept.has(key(at))).reverse();
    void pool(missing, AT_ONCE, stop.signal, async (at) => {
      put({ at, state: 'reading' });
      const point = await read(account, network, at, stop.signal);
      if (!stop.signal.aborted && isWhole(point)) keep(key(at), point);
      put(point);
    });
    return () => stop.abort();
  }, [wanted, attempt]);

  return [points, () => setAttempt(attempt + 1)];
}

/** Others are read again when they are next shown. */
function isWhole(point: Point): boolean {
  return point.state === 'read' && point.answer.missing.every(({ reason }) => isStanding(reason));
}

function keep(key: string, point: Point): void {
  const [oldest] = kept.keys();
  if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  kept.set(key, point);
}
