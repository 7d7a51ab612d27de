// One chart with the value at the chosen day.

import { Chart, type Mark } from '../chart/chart.js';
import { dollarTick, tick } from '../chart/ticks.js';
import { Card } from '../base/parts.js';
import { decimal, subtract, text } from '../base/decimal.js';
import { Amount, Dollars } from '../base/number.js';
import { Words } from '../base/text.js';
import type { Point } from './reading.js';
import { apartOf, type Series, type Value } from './series.js';
import { axisTime, nameOf, shownTime, shownValue, symbolOf } from './words.js';

const HEIGHT = 220;
const MARKS = { gap: 'missing', waiting: null, known: null } as const satisfies Record<Value['state'], Mark>;

type Props = { points: Point[]; values: Value[]; series: Series; selected: number | null; onSelect: (index: number) => void };

export function Panel({ points, values, series, selected, onSelect }: Props) {
  const newest = values.findLastIndex(({ state }) => state === 'known');
  const index = selected ?? (newest < 0 ? values.length - 1 : newest);
  const value = values[index];
  const point = points[index];
  const inDollars = symbolOf(series) === null;
  const everywhere = apartOf(values);
  const oldest = values.findIndex(({ state }) => state === 'known');
  return (
    <Card kind="panel">
      <div class="readout">
        <p class="now">{value?.state === 'known' ? <Shown value={value.value} series={series} /> : <span class="unknown">{value?.state === 'gap' ? 'Missing' : '…'}</span>}</p>
        <p class="note">
          {point && shownTime(point.at)}
          {value?.state === 'known' && value.apart !== null && `, ${value.apart}`}
          {value?.state === 'gap' && <>: <Words of={value.why} max={120} /></>}
        </p>
        {value?.state === 'known' && oldest < index && <Change from={values[oldest]} to={value.value} at={points[oldest]} series={series} />}
      </div>
      <Chart
        label={labelOf(points, values, series)}
        lines={[{ name: 'value', values: values.map((one) => (one.state === 'known' ? Number(one.value) : null)) }]}
        times={points.map(({ at }) => axisTime(at))}
        marks={values.map(({ state }) => MARKS[state])}
        hollow={values.map((one) => one.state === 'known' && one.apart !== everywhere)}
        height={HEIGHT}
        dots
        formatTick={inDollars ? dollarTick : tick}
        selected={selected}
        onSelect={onSelect}
      />
    </Card>
  );
}

/** Shows by how much a value differs from the oldest one that is known. */
function Change({ from, to, at, series }: { from: Value | undefined; to: string; at: Point | undefined; series: Series }) {
  if (from?.state !== 'known' || !at) return null;
  const change = subtract(decimal(to), decimal(from.value));
  const sign = change.digits > 0n ? '+' : '';
  return <p class="note change">{sign}<Shown value={text(change)} series={series} /> since {shownTime(at.at)}</p>;
}

/** Shows a value of a series with all of its digits at hand. */
export function Shown({ value, series }: { value: string; series: Series }) {
  const symbol = symbolOf(series);
  return symbol === null ? <Dollars of={value} /> : <Amount of={value} symbol={symbol} />;
}

function labelOf(points: Point[], values: Value[], series: Series): string {
  const name = series.of === 'net' ? 'Net worth' : nameOf(series.position);
  const known = values.flatMap((value, index) => (value.state === 'known' ? [index] : []));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return `${name}: no value is known yet`;
  const told = (index: number) => `${shownValue(values[index]!, series)} at ${shownTime(points[index]!.at)}`;
  return `${name}: ${told(first)}, ${told(last)}. ${known.length} of ${values.length} points are known; the table below has all.`;
}
