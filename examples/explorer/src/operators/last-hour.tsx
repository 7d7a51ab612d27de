// The last hour, drawn, and as a table for those who open it.

import { useState } from 'preact/hooks';
import { Card, Table } from '../base/parts.js';
import { Chart } from '../chart/chart.js';
import { tick } from '../chart/ticks.js';
import { type Slot, slotsOf } from './hour.js';
import type { History, Step } from './types.js';
import { megabytes, milliseconds, number } from './words.js';

type Figure = { name: string; of: (step: Step) => number | null };
type Drawing = { title: string; unit: string; figures: Figure[]; shown: (value: number) => string };

const DRAWINGS: Drawing[] = [
  {
    title: 'Answers',
    unit: 'in each step',
    figures: [{ name: 'answers', of: ({ answers }) => answers }, { name: 'partial', of: ({ partial }) => partial }, { name: 'problems', of: ({ problems }) => problems }],
    shown: number,
  },
  { title: 'Latency', unit: 'milliseconds', figures: [{ name: 'p50', of: ({ p50Ms }) => p50Ms }, { name: 'p99', of: ({ p99Ms }) => p99Ms }], shown: milliseconds },
  { title: 'Answers under way', unit: 'at the end of each step', figures: [{ name: 'under way', of: ({ inFlight }) => inFlight }], shown: number },
  { title: 'Jobs', unit: 'in each step', figures: [{ name: 'jobs', of: ({ jobs }) => jobs }, { name: 'failed', of: ({ jobFailures }) => jobFailures }], shown: number },
  { title: 'Requests to nodes', unit: 'in each step', figures: [{ name: 'requests', of: ({ nodeRequests }) => nodeRequests }, { name: 'errors', of: ({ nodeErrors }) => nodeErrors }], shown: number },
  { title: 'Memory', unit: 'megabytes', figures: [{ name: 'memory', of: ({ memoryBytes }) => memoryBytes / 1e6 }], shown: (value) => megabytes(value * 1e6) },
];

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const SECONDS = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const LABEL_EVERY_S = 600;
const HEIGHT = 150;

export function LastHour({ history }: { history: History }) {
  const [isOpen, setOpen] = useState(false);
  const slots = slotsOf(history);
  if (slots.length === 0) return <p class="note">The gateway has no step yet. A step is {number(history.stepSeconds)} seconds.</p>;
  const times = slots.map(({ at }) => (at % LABEL_EVERY_S < history.stepSeconds ? CLOCK.format(at * 1000) : ''));
  return (
    <>
      <div class="hour">{DRAWINGS.map((drawing) => <Figures key={drawing.title} drawing={drawing} slots={slots} times={times} />)}</div>
      <details class="disclosure" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>The last hour as a table</summary>
        {isOpen && <Steps slots={slots} />}
      </details>
    </>
  );
}

function Figures({ drawing: { title, unit, figures, shown }, slots, times }: { drawing: Drawing; slots: Slot[]; times: string[] }) {
  const lines = figures.map(({ name, of }) => ({ name, values: slots.map(({ step }) => step && of(step)) }));
  const newest = lines.map(({ name, values }) => ({ name, value: values.findLast((value) => value !== null) ?? null }));
  const label = `${title} in the last hour, ${unit}. Newest: ${newest.map(({ name, value }) => `${name} ${value === null ? 'not known' : shown(value)}`).join(', ')}.`;
  return (
    <Card kind="figure">
      <h3>{title} <span class="note">{unit}</span></h3>
      <ul class="legend">
        {newest.map(({ name, value }, index) => (
          <li key={name}>
            <svg viewBox="0 0 18 8" width="18" height="8" aria-hidden="true" class={`series series-${index + 1}`}><path d="M1 4H17" /></svg>
            {name} <span class="number">{value === null ? '–' : shown(value)}</span>
          </li>
        ))}
      </ul>
      <Chart label={label} lines={lines} times={times} height={HEIGHT} fromZero formatTick={(value, step) => tick(value, step)} />
    </Card>
  );
}

function Steps({ slots }: { slots: Slot[] }) {
  const steps = slots.flatMap(({ step }) => (step ? [step] : [])).reverse();
  const columns = DRAWINGS.flatMap(({ title, figures, shown }) =>
    figures.map(({ name, of }) => ({
      title: figures.length === 1 || name === title.toLowerCase() ? title : `${title}: ${name}`,
      number: true,
      cell: (step: Step) => {
        const value = of(step);
        return value === null ? <span class="unknown">–</span> : shown(value);
      },
    })),
  );
  return <div class="steps"><Table caption="Table of the last hour" columns={[{ title: 'End of the step', cell: ({ at }) => SECONDS.format(at * 1000) }, ...columns]} rows={steps} keyOf={({ at }) => String(at)} /></div>;
}
