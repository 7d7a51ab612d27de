// The operators' page: how the gateway is, what its plugins and endpoints do, and its last hour.

import './operators.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { Notice, Section, Tag } from '../base/parts.js';
import { Words } from '../base/text.js';
import { Access } from './access.js';
import { LastHour } from './last-hour.js';
import { Lists } from './lists.js';
import { Networks } from './networks.js';
import { Plugins } from './plugins.js';
import { Readiness } from './readiness.js';
import { kindOf } from './states.js';
import { type Part, Store } from './store.js';
import { counted } from './words.js';

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export function OperatorsPage() {
  const store = useMemo(() => new Store(), []);
  useEffect(() => {
    store.start();
    return () => store.end();
  }, [store]);
  const { readyz, history, plugins, networks, lists } = store.parts;
  if (store.access.value !== 'open') {
    return <><h1>Operators</h1><Access refused={store.access.value === 'refused'} onToken={(token) => store.useToken(token)} /></>;
  }
  const sick = plugins.value.content?.filter(({ state }) => kindOf(state) !== 'good').length ?? 0;
  const endpoints = networks.value.content?.flatMap((network) => network.endpoints) ?? [];
  const lost = endpoints.filter(({ state }) => kindOf(state) === 'bad').length;
  return (
    <>
      <Head store={store} />
      {readyz.value.content && <Readiness of={readyz.value.content} />}
      <Shown part={readyz.value} name="The state of the gateway" />
      <Section title="Last hour">
        <Shown part={history.value} name="The last hour">{(content) => <LastHour history={content} />}</Shown>
      </Section>
      <Section title="Plugins" note={plugins.value.content && `${counted(plugins.value.content.length, 'plugin')}${sick > 0 ? `, ${sick} not in force` : ''}`}>
        <Shown part={plugins.value} name="The plugins">{(content) => <Plugins plugins={content} />}</Shown>
      </Section>
      <Section title="Endpoints" note={networks.value.content && `${counted(endpoints.length, 'endpoint')}${lost > 0 ? `, ${lost} not used` : ''}`}>
        <Shown part={networks.value} name="The endpoints">{(content) => <Networks networks={content} />}</Shown>
      </Section>
      <Section title="Token lists">
        <Shown part={lists.value} name="The token lists">{(content) => <Lists lists={content} />}</Shown>
      </Section>
    </>
  );
}

function Head({ store }: { store: Store }) {
  const ready = store.parts.readyz.value.content;
  const { value: refreshed } = store.refreshed;
  return (
    <header class="operators-head">
      <h1>Operators</h1>
      {ready && <Tag kind={!ready.ready ? 'bad' : ready.degraded.length > 0 ? 'warn' : 'good'}>{!ready.ready ? 'not ready' : ready.degraded.length > 0 ? 'degraded' : 'ready'}</Tag>}
      <p class="note">{refreshed === null ? 'Not read yet' : `Read at ${CLOCK.format(refreshed * 1000)}, again each 15 seconds`}</p>
      <button type="button" class="quiet" aria-disabled={store.isRefreshing.value} onClick={() => void store.refresh()}>Refresh</button>
    </header>
  );
}

/** A part with what went wrong with its last refresh; what was known before stays. */
function Shown<Content>({ part: { content, failure }, name, children }: { part: Part<Content>; name: string; children?: (content: Content) => ComponentChildren }) {
  return (
    <>
      {failure !== null && <Notice kind="bad">{name} could not be read{content !== null && ', and what is here is older'}: <Words of={failure} max={300} /></Notice>}
      {content !== null ? children?.(content) : failure === null && <p class="loading">Reading…</p>}
    </>
  );
}
