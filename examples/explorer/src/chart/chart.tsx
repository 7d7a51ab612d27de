// A chart of lines over time. It is a picture: a table, and a slider for the keyboard, stand beside it.

import './chart.css';
import { extent, runs } from './runs.js';
import { labelled, nice, scale, type Scale } from './scale.js';
import { useWidth } from './width.js';

export type Line = {
  name: string;
  /** A null parts the line. */
  values: (number | null)[];
};

export type Mark = 'missing' | null;

type Props = {
  /** Says in a sentence what the picture shows. */
  label: string;
  lines: Line[];
  /** The label of each point on the axis of time; an empty one is left out. */
  times: string[];
  /** How points without a value are marked. */
  marks?: Mark[];
  /** Points whose value leaves something out. */
  hollow?: boolean[];
  height: number;
  /** Counts begin at zero. */
  fromZero?: boolean;
  /** Draws each value as a dot. */
  dots?: boolean;
  formatTick: (value: number, step: number) => string;
  selected?: number | null;
  onSelect?: (index: number) => void;
};

const TOP = 10;
const BOTTOM = 24;
const RIGHT = 10;
/** The width of a letter on the axes at most, in pixels. */
const LETTER = 7;
const TICK_ROOM = 46;
/** Counts up to this one have whole numbers on their axis. */
const FROM_ZERO_MIN = 4;
/** Room for this many letters at least, so that charts below each other begin at one place. */
const LABEL_MIN = 5;

export function Chart({ label, lines, times, marks = [], hollow = [], height, fromZero = false, dots = false, formatTick, selected = null, onSelect }: Props) {
  const { element, width } = useWidth<HTMLDivElement>();
  const values = extent(lines.flatMap((line) => line.values));
  const { domain, step, ticks } = nice(fromZero ? [0, Math.max(FROM_ZERO_MIN, values?.[1] ?? 0)] : (values ?? [0, 1]), Math.max(2, Math.floor(height / TICK_ROOM)));
  const tickTexts = values ? ticks.map((tick) => formatTick(tick, step)) : [];
  const left = Math.max(LABEL_MIN, ...tickTexts.map((text) => text.length)) * LETTER + 12;
  const bottom = height - BOTTOM;
  const x = scale([0, Math.max(1, times.length - 1)], [left, width - RIGHT]);
  const y = scale(domain, [bottom, TOP]);
  const select = (event: PointerEvent) => {
    const { left: edge } = (event.currentTarget as Element).getBoundingClientRect();
    const place = (event.clientX - edge - left) / Math.max(1, width - RIGHT - left);
    onSelect?.(Math.min(times.length - 1, Math.max(0, Math.round(place * (times.length - 1)))));
  };
  return (
    <div class="chart" ref={element}>
      {width > 0 && (
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} onPointerMove={select} onPointerDown={select}>
          <Ticks ticks={ticks} texts={tickTexts} y={y} left={left} right={width - RIGHT} />
          <Times times={times} x={x} y={height - 6} room={width - left} />
          {marks.map((mark, index) => mark && <path key={index} class={mark} d={`M${x(index) - 3} ${bottom - 9}l6 6m0 -6l-6 6`} />)}
          {selected !== null && <path class="cursor" d={`M${x(selected)} ${TOP}V${bottom}`} />}
          {lines.map((line, index) => <Drawn key={line.name} line={line} number={index + 1} x={x} y={y} dots={dots} hollow={hollow} selected={selected} />)}
        </svg>
      )}
    </div>
  );
}

function Ticks({ ticks, texts, y, left, right }: { ticks: number[]; texts: string[]; y: Scale; left: number; right: number }) {
  return (
    <g class="axis">
      {ticks.map((tick, index) => (
        <g key={tick}>
          <path class={tick === 0 ? 'zero' : 'grid'} d={`M${left} ${y(tick)}H${right}`} />
          <text x={left - 8} y={y(tick) + 4} text-anchor="end">{texts[index]}</text>
        </g>
      ))}
    </g>
  );
}

function Times({ times, x, y, room }: { times: string[]; x: Scale; y: number; room: number }) {
  const named = times.map((text, index) => ({ text, index })).filter(({ text }) => text !== '');
  const longest = Math.max(1, ...named.map(({ text }) => text.length));
  const most = Math.max(1, Math.floor(room / (longest * LETTER + 14)));
  return (
    <g class="axis">
      {labelled(named.length, most).map((place) => {
        const { text, index } = named[place]!;
        const anchor = index === times.length - 1 ? 'end' : 'middle';
        return <text key={index} x={x(index) + (anchor === 'end' ? 8 : 0)} y={y} text-anchor={anchor}>{text}</text>;
      })}
    </g>
  );
}

type DrawnProps = { line: Line; number: number; x: Scale; y: Scale; dots: boolean; hollow: boolean[]; selected: number | null };

function Drawn({ line, number, x, y, dots, hollow, selected }: DrawnProps) {
  const parts = runs(line.values);
  // A value between two gaps has no line, and would not be seen without its dot.
  const shown = parts.flatMap((run) => run.filter(({ index }) => dots || run.length === 1 || index === selected));
  return (
    <g class={`series series-${number}`}>
      {parts.map((run) => <polyline key={run[0]!.index} points={run.map(({ index, value }) => `${round(x(index))},${round(y(value))}`).join(' ')} />)}
      {shown.map(({ index, value }) => (
        <circle key={index} class={hollow[index] ? 'hollow' : undefined} cx={round(x(index))} cy={round(y(value))} r={index === selected ? 5 : 3} />
      ))}
    </g>
  );
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
