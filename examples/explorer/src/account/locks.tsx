// Until when something is locked, and how it vests.

import { amount, date, fromNow } from '../base/format.js';
import { Words } from '../base/text.js';
import type { Position, Token } from '../api/types.js';

type Vesting = NonNullable<Position['vesting']>;

export function Lock({ unlocksAt, isPermanent }: Pick<Position, 'unlocksAt' | 'isPermanent'>) {
  if (isPermanent) return <p class="drawing">The lock never ends by itself.</p>;
  if (unlocksAt === null) return null;
  const isOver = unlocksAt * 1000 <= Date.now();
  return <p class="drawing">{isOver ? 'Unlocked since' : 'Locked until'} <Moment of={unlocksAt} /></p>;
}

export function VestingSchedule({ vesting: { start, cliff, end, releasable }, token }: { vesting: Vesting; token: Token | null }) {
  const now = Date.now() / 1000;
  const done = start === null || end === null || end <= start ? null : Math.min(Math.max((now - start) / (end - start), 0), 1);
  return (
    <div class="drawing">
      <p>Vesting{end !== null && <> until <Moment of={end} /></>}</p>
      {done !== null && start !== null && end !== null && (
        <svg class="vesting" viewBox="0 0 300 16" width="300" height="16" role="img" aria-label={`${Math.floor(done * 100)} % of the time has passed`}>
          <rect class="track" x="0" y="5" width="300" height="6" rx="3" />
          <rect class="fill good" x="0" y="5" width={done * 300} height="6" rx="3" />
          {cliff !== null && cliff > start && cliff < end && <line class="limit" x1={((cliff - start) / (end - start)) * 300} x2={((cliff - start) / (end - start)) * 300} y1="0" y2="16" />}
        </svg>
      )}
      <p class="note">
        {cliff !== null && cliff > now && <>Nothing before <Moment of={cliff} />. </>}
        {releasable !== null && <><span class="number" title={releasable}>{amount(releasable)}</span> {token && <Words of={token.symbol} max={16} />} can be taken now.</>}
      </p>
    </div>
  );
}

function Moment({ of }: { of: number }) {
  return <time dateTime={iso(of)}>{date(of)} ({fromNow(of)})</time>;
}

function iso(seconds: number): string | undefined {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
