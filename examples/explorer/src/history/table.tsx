// The charts as a table: every point with its values, its blocks, and why it is missing.

import { type Column, Table } from '../base/parts.js';
import { Words } from '../base/text.js';
import { Shown } from './panel.js';
import type { Point } from './reading.js';
import { apartOf, type Series, type Value } from './series.js';
import { tableTime } from './words.js';

type Row = { point: Point; net: Value; position: Value | null };
type Props = { points: Point[]; net: Value[]; series: Series | null; ofPosition: Value[] | null };

export function PointTable({ points, net, series, ofPosition }: Props) {
  const everywhere = apartOf(net);
  const rows = points.map((point, index): Row => ({ point, net: net[index]!, position: ofPosition?.[index] ?? null })).reverse();
  const columns: Column<Row>[] = [
    { title: 'Time (UTC)', cell: ({ point }) => <time dateTime={new Date(point.at * 1000).toISOString()}>{tableTime(point.at)}</time> },
    { title: 'Net worth', number: true, cell: ({ net }) => <Cell value={net} series={{ of: 'net' }} everywhere={everywhere} /> },
  ];
  if (series?.of === 'position') {
    columns.push({ title: 'Position', number: true, cell: ({ position }) => position && <Cell value={position} series={series} everywhere={null} /> });
  }
  columns.push({ title: 'Blocks', wide: true, cell: ({ point }) => <Blocks point={point} /> });
  return <Table caption="Net worth and the position at each time" columns={columns} rows={rows} keyOf={({ point }) => String(point.at)} />;
}

function Cell({ value, series, everywhere }: { value: Value; series: Series; everywhere: string | null }) {
  if (value.state === 'waiting') return <span class="unknown">…</span>;
  if (value.state === 'gap') return <span class="unknown because">missing: <Words of={value.why} max={120} /></span>;
  return <><Shown value={value.value} series={series} />{value.apart !== everywhere && <span class="left-out">{value.apart ?? 'with every price'}</span>}</>;
}

function Blocks({ point }: { point: Point }) {
  if (point.state !== 'read') return null;
  return <span class="at-blocks">{Object.entries(point.answer.blocks).map(([network, block]) => `${network} ${block}`).join(', ')}</span>;
}
