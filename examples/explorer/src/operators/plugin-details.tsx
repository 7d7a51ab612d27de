// Everything about one plugin.

import type { ComponentChildren } from 'preact';
import { Words } from '../base/text.js';
import { Known } from './plugins.js';
import { State } from './states.js';
import type { Plugin } from './types.js';
import { ago, counted, megabytes, milliseconds, number, seconds } from './words.js';

const WORDS_MAX = 500;

export function PluginDetails({ plugin }: { plugin: Plugin }) {
  const { file, digest, apiRev, generation, isolation, sandbox, signature, loadedAt, protocols, unknownNetworks, reason } = plugin;
  return (
    <dl class="plugin-facts">
      {reason !== null && <Fact name="Reason"><Words of={reason} max={WORDS_MAX} /></Fact>}
      <Failures of={plugin.failures} />
      <Fact name="Protocols">{protocols.length === 0 ? 'none' : <Words of={protocols.join(', ')} max={WORDS_MAX} />}</Fact>
      <Fact name="Build"><Words of={file} max={80} />, revision {number(apiRev)} of the interface<code class="digest">{digest}</code></Fact>
      {signature && <Fact name="Signature">{signature.wouldBeRefused === null ? <>by <Words of={signature.signedBy ?? 'nobody'} max={80} /></> : <Words of={signature.wouldBeRefused} max={WORDS_MAX} />}</Fact>}
      <Fact name="In force">{generation === 0 ? 'never' : `since generation ${number(generation)}`}{loadedAt !== null && <>, loaded <time dateTime={loadedAt}>{ago(loadedAt)}</time></>}</Fact>
      <Fact name="Runs in"><Words of={isolation} />{sandbox && <>; {Object.entries(sandbox).map(([part, isOn]) => `${part} ${isOn ? 'on' : 'off'}`).join(', ')}</>}</Fact>
      <Fact name="Jobs">
        {counted(plugin.jobs.count, 'job')}, {number(plugin.jobs.failed)} failed, p50 <Known of={plugin.jobs.latencyMs?.p50} as={milliseconds} />, p99 <Known of={plugin.jobs.latencyMs?.p99} as={milliseconds} />, memory <Known of={plugin.memoryBytes} as={megabytes} />, processor {seconds(plugin.cpuUs / 1e6)}
      </Fact>
      <Breakers of={plugin.breakers} />
      <Claims of={plugin.claims} />
      <Hosts of={plugin.hosts} />
      {unknownNetworks.length > 0 && <Fact name="Unknown networks">{unknownNetworks.join(', ')}</Fact>}
      <WithoutCode of={plugin.withoutCode} />
      <Lists of={plugin.lists} />
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

/** A fact of several rows; nothing if there are none. */
function Rows<Row>({ name, of, shown }: { name: string; of: Row[]; shown: (row: Row) => ComponentChildren }) {
  if (of.length === 0) return null;
  return <Fact name={name}><ul>{of.map((row, index) => <li key={index}>{shown(row)}</li>)}</ul></Fact>;
}

function Failures({ of }: { of: Plugin['failures'] }) {
  return (
    <Rows name="Failures" of={of} shown={({ protocol, network, reason, message, count, lastAt }) => (
      <><strong><Words of={reason} /></strong> of <Words of={protocol} /> on <Words of={network} />, {counted(count, 'time')}, last <time dateTime={lastAt}>{ago(lastAt)}</time>: <Words of={message} max={WORDS_MAX} /></>
    )} />
  );
}

function Breakers({ of }: { of: Plugin['breakers'] }) {
  return (
    <Rows name="Breakers" of={of} shown={({ chainId, state, faultsInARow, retryInSeconds }) => (
      <>chain {chainId}: <State of={state} /> after {counted(faultsInARow, 'fault')} in a row{retryInSeconds !== null && `, tried again in ${seconds(retryInSeconds)}`}</>
    )} />
  );
}

function Claims({ of }: { of: Plugin['claims'] }) {
  return (
    <Rows name="Claim functions" of={of} shown={({ shown, allowed, reason }) => (
      <><code><Words of={shown} max={WORDS_MAX} /></code> {allowed ? 'is allowed' : <strong>is not allowed</strong>}{reason !== null && <>: <Words of={reason} max={WORDS_MAX} /></>}</>
    )} />
  );
}

function Hosts({ of }: { of: Plugin['hosts'] }) {
  return <Rows name="Hosts" of={of} shown={({ host, granted, mirrored }) => <><Words of={host} max={80} />: {granted ? 'granted' : <strong>not granted</strong>}{mirrored && ', mirrored'}</>} />;
}

function WithoutCode({ of }: { of: Plugin['withoutCode'] }) {
  return (
    <Rows name="Without code" of={of} shown={({ protocol, network, address, block }) => (
      <><code>{address}</code> of <Words of={protocol} /> on <Words of={network} /> at block {number(block)}</>
    )} />
  );
}

function Lists({ of }: { of: Plugin['lists'] }) {
  return (
    <Rows name="Lists" of={of} shown={({ protocol, network, market, key, entries, bytes, complete, ageS }) => (
      <><Words of={`${protocol} ${market} ${key}`} max={80} /> on <Words of={network} />: {counted(entries, 'entry', 'entries')}, {megabytes(bytes)}, {complete ? 'complete' : <strong>not complete</strong>}, {seconds(ageS)} old</>
    )} />
  );
}
