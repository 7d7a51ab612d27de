// The plugins: those that need a person first, each with everything that is known about it one click away.

import { useId, useState } from 'preact/hooks';
import { Tag } from '../base/parts.js';
import { Words } from '../base/text.js';
import { PluginDetails } from './plugin-details.js';
import { byTrouble, State } from './states.js';
import type { Plugin } from './types.js';
import { megabytes, milliseconds, number, seconds } from './words.js';

const REASON_MAX = 160;
const COLUMNS = 8;

export function Plugins({ plugins }: { plugins: Plugin[] }) {
  const rows = [...plugins].sort((one, other) => byTrouble(one.state, other.state) || other.jobs.failed - one.jobs.failed || one.plugin.localeCompare(other.plugin));
  return (
    <div class="card scroll" role="region" aria-label="Table of plugins" tabIndex={0}>
      <table>
        <caption class="hidden">Plugins</caption>
        <thead>
          <tr>
            <th scope="col">Plugin</th>
            <th scope="col">State</th>
            <th scope="col" class="numeric wide">Jobs</th>
            <th scope="col" class="numeric">Failures</th>
            <th scope="col" class="numeric wide">p50</th>
            <th scope="col" class="numeric wide">p99</th>
            <th scope="col" class="numeric wide">Memory</th>
            <th scope="col" class="numeric wide">Processor</th>
          </tr>
        </thead>
        {rows.map((plugin) => <Row key={`${plugin.file} ${plugin.digest} ${plugin.state}`} plugin={plugin} />)}
      </table>
    </div>
  );
}

function Row({ plugin }: { plugin: Plugin }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { plugin: name, version, file, digest, state, reason, jobs, memoryBytes, cpuUs, breakers } = plugin;
  const paused = breakers.filter((breaker) => breaker.state !== 'closed').length;
  return (
    <tbody>
      <tr>
        <th scope="row">
          <button type="button" class="link" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}><Words of={name || file} /></button>
          <span class="note line"><Words of={version} /> <span title={digest}>{digest.slice(0, 8)}</span></span>
        </th>
        <td>
          <State of={state} /> {paused > 0 && <Tag kind="bad">paused on {number(paused)}</Tag>}
          {reason !== null && <span class="reason"><Words of={reason} max={REASON_MAX} /></span>}
        </td>
        <td class="numeric wide">{number(jobs.count)}</td>
        <td class="numeric">{jobs.failed > 0 ? <strong>{number(jobs.failed)}</strong> : '0'}</td>
        <td class="numeric wide"><Known of={jobs.latencyMs?.p50} as={milliseconds} /></td>
        <td class="numeric wide"><Known of={jobs.latencyMs?.p99} as={milliseconds} /></td>
        <td class="numeric wide"><Known of={memoryBytes} as={megabytes} /></td>
        <td class="numeric wide">{seconds(cpuUs / 1e6)}</td>
      </tr>
      <tr id={id} hidden={!isOpen}>{isOpen && <td colSpan={COLUMNS}><PluginDetails plugin={plugin} /></td>}</tr>
    </tbody>
  );
}

/** A figure, or a dash where the gateway does not have it. */
export function Known({ of, as }: { of: number | null | undefined; as: (value: number) => string }) {
  return of == null ? <span class="unknown" title="not known">–</span> : <>{as(of)}</>;
}
