// An account over time: its net worth and one of its positions, at blocks of earlier days.

import './history.css';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { why } from '../api/get.js';
import { loadNetworks, networks } from '../api/networks.js';
import { checksummed } from '../base/hex.js';
import { shortHex } from '../base/format.js';
import { Notice, Section } from '../base/parts.js';
import { Words } from '../base/text.js';
import { toAccount } from '../router.js';
import { Controls } from './controls.js';
import { Gaps } from './gaps.js';
import { Panel } from './panel.js';
import { usePoints } from './points.js';
import { PositionPicker } from './picker.js';
import { chosenSeries, type Choice, heldIn } from './positions.js';
import { PointTable } from './table.js';
import { valueAt } from './series.js';
import { RANGES, timesOf } from './times.js';
import { shownTime } from './words.js';

export function HistoryPage({ account }: { account: string }) {
  const [opened] = useState(() => Date.now() / 1000);
  const [days, setDays] = useState<number>(30);
  const [network, setNetwork] = useState<string>();
  const [choice, setChoice] = useState<Choice>({});
  const [selected, setSelected] = useState<number | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const range = RANGES.find((one) => one.days === days) ?? RANGES[1];
  const times = useMemo(() => timesOf(range, opened), [range, opened]);
  const [points, again] = usePoints(account, network, times);
  const held = useMemo(() => heldIn(points), [points]);
  const position = chosenSeries(held, choice);
  const net = points.map((point) => valueAt(point, { of: 'net' }));
  const ofPosition = position && points.map((point) => valueAt(point, position));
  const at = selected !== null && selected < times.length ? selected : null;

  const isName = !account.startsWith('0x');
  const shown = isName ? account : shortHex(checksummed(account));
  useEffect(() => {
    loadNetworks().catch((failure: unknown) => setFailure(why(failure)));
    document.title = `${shown} over time · Portolan`;
  }, [shown]);

  return (
    <>
      <p class="note back"><a href={toAccount(account)}>← <Words of={shown} /></a></p>
      <h1>Over time</h1>
      <Controls days={days} onDays={(wanted) => { setDays(wanted); setSelected(null); }} networks={networks.value} network={network} onNetwork={setNetwork} points={points} />
      {failure !== null && <Notice kind="warn">The list of networks could not be read: {failure}</Notice>}
      <Section title="Net worth" note="In the wallet and in positions, less debts">
        <Panel points={points} values={net} series={{ of: 'net' }} selected={at} onSelect={setSelected} />
      </Section>
      <Section title="One position" aside={<PositionPicker held={held} series={position} onChoose={setChoice} />}>
        {position && ofPosition
          ? <Panel points={points} values={ofPosition} series={position} selected={at} onSelect={setSelected} />
          : <p class="note">{points.some(({ state }) => state === 'waiting' || state === 'reading') ? 'No position was found yet.' : 'No position was found at these blocks.'}</p>}
      </Section>
      <label class="day">
        <span>Day</span>
        <input type="range" min={0} max={times.length - 1} step={1} value={at ?? times.length - 1} aria-valuetext={shownTime(times[at ?? times.length - 1] ?? 0)} onInput={(event) => setSelected(event.currentTarget.valueAsNumber)} />
      </label>
      <Gaps points={points} net={net} position={ofPosition} onAgain={again} />
      <Section title="All points" note="The last block of each network at this time or before">
        <div class="points"><PointTable points={points} net={net} series={position} ofPosition={ofPosition} /></div>
      </Section>
    </>
  );
}
