// The parts that both pages are made of: cards, tables and things to open. They are plain elements, so they are accessible.

import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

type Children = { children?: ComponentChildren };

/** A part of the page with its heading. */
export function Section({ title, note, aside, children }: Children & { title: string; note?: ComponentChildren; aside?: ComponentChildren }) {
  const id = useId();
  return (
    <section class="section" aria-labelledby={id}>
      <header class="section-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <p class="note">{note}</p>}
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

export function Card({ children, kind }: Children & { kind?: string }) {
  return <div class={kind === undefined ? 'card' : `card ${kind}`}>{children}</div>;
}

/** Something that opens, below a button that stands elsewhere in the same item. */
export function useDisclosure(title: string): { button: ComponentChildren; opened: (children: () => ComponentChildren) => ComponentChildren } {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const button = (
    <button type="button" class="link disclose" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={() => setOpen(!isOpen)}>
      {title}
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><path d="M2 3.5l3 3 3-3" fill="none" stroke="currentColor" stroke-width="1.4" /></svg>
    </button>
  );
  return { button, opened: (children) => isOpen && <div id={id} class="disclosed">{children()}</div> };
}

/** Something that opens, below its own words. */
export function Disclosure({ summary, children }: Children & { summary: ComponentChildren }) {
  return (
    <details class="disclosure">
      <summary>{summary}</summary>
      <div class="disclosed">{children}</div>
    </details>
  );
}

export type Column<Row> = {
  title: string;
  /** Numbers are aligned at their end. */
  number?: boolean;
  /** Shown on wide screens alone. */
  wide?: boolean;
  cell: (row: Row) => ComponentChildren;
};

/** A table. Its first column names the row. */
export function Table<Row>({ caption, columns, rows, keyOf }: { caption: string; columns: Column<Row>[]; rows: Row[]; keyOf: (row: Row) => string }) {
  const [first, ...others] = columns;
  if (!first) return null;
  const kind = ({ number, wide }: Column<Row>) => [number ? 'numeric' : '', wide ? 'wide' : ''].join(' ').trim() || undefined;
  return (
    <div class="scroll" role="group" aria-label={`${caption}, which may scroll sideways`} tabIndex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => <th key={column.title} scope="col" class={kind(column)}>{column.title}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row" class={kind(first)}>{first.cell(row)}</th>
              {others.map((column) => <td key={column.title} class={kind(column)}>{column.cell(row)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Words about the state of something; the colour only repeats what they say. */
export function Tag({ kind = 'plain', children }: Children & { kind?: 'plain' | 'good' | 'warn' | 'bad' }) {
  return <span class={`tag ${kind}`}>{children}</span>;
}

/** Something that the reader has to know. */
export function Notice({ kind = 'plain', children }: Children & { kind?: 'plain' | 'good' | 'warn' | 'bad' }) {
  return <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>{children}</div>;
}
