// The networks with their endpoints.

import { nameForPeople } from '../api/networks.js';
import { fromNow } from '../base/format.js';
import { Words } from '../base/text.js';
import { Known } from './plugins.js';
import { State } from './states.js';
import type { Endpoint, Network } from './types.js';
import { ago, counted, milliseconds, number, seconds } from './words.js';

const COLUMNS = 8;
const FAILURE_MAX = 160;

export function Networks({ networks }: { networks: Network[] }) {
  const served = networks.filter(({ endpoints }) => endpoints.length > 0);
  const others = networks.filter(({ endpoints }) => endpoints.length === 0);
  return (
    <>
      {served.length > 0 && (
        <div class="card scroll" role="region" aria-label="Table of endpoints" tabIndex={0}>
          <table>
            <caption class="hidden">Endpoints</caption>
            <thead>
              <tr>
                <th scope="col">Endpoint</th>
                <th scope="col">State</th>
                <th scope="col" class="numeric">Score</th>
                <th scope="col" class="numeric">Lag</th>
                <th scope="col" class="numeric wide">p50</th>
                <th scope="col" class="numeric wide">p99</th>
                <th scope="col" class="numeric wide">Requests</th>
                <th scope="col">Last failure</th>
              </tr>
            </thead>
            {served.map((network) => <Rows key={network.slug} network={network} />)}
          </table>
        </div>
      )}
      {others.length > 0 && <p class="note below">Without an endpoint: {others.map(({ name }) => nameForPeople(name)).join(', ')}.</p>}
    </>
  );
}

function Rows({ network: { name, chainId, block, blockTimeMs, endpoints } }: { network: Network }) {
  return (
    <tbody>
      <tr class="group">
        <th scope="rowgroup" colSpan={COLUMNS}>
          <Words of={nameForPeople(name)} /> <span class="note">chain {chainId}{block ? `, block ${number(block.number)}, ${fromNow(block.timestamp)}` : ', not read yet'}{blockTimeMs !== null && `, a block each ${seconds(blockTimeMs / 1000)}`}</span>
        </th>
      </tr>
      {endpoints.map((endpoint) => <Row key={endpoint.host} endpoint={endpoint} />)}
    </tbody>
  );
}

function Row({ endpoint: { host, state, rung, score, lagSeconds, latencyMs, requests, errors, throttled, inFlight, lastFailure } }: { endpoint: Endpoint }) {
  return (
    <tr>
      <th scope="row"><Words of={host} max={60} />{rung !== null && <span class="note line"><Words of={rung} /></span>}</th>
      <td><State of={state} /></td>
      <td class="numeric">{number(score)}</td>
      <td class="numeric"><Known of={lagSeconds} as={seconds} /></td>
      <td class="numeric wide"><Known of={latencyMs?.p50} as={milliseconds} /></td>
      <td class="numeric wide"><Known of={latencyMs?.p99} as={milliseconds} /></td>
      <td class="numeric wide">{number(requests)}<span class="note line">{[`${counted(errors, 'error')}`, throttled > 0 ? `${number(throttled)} throttled` : '', inFlight > 0 ? `${number(inFlight)} in flight` : ''].filter((words) => words !== '').join(', ')}</span></td>
      <td>{lastFailure ? <span class="reason"><Words of={lastFailure.reason} max={FAILURE_MAX} />, <time dateTime={lastFailure.at}>{ago(lastFailure.at)}</time>{lastFailure.count > 0 && `, ${number(lastFailure.count)} in a row`}</span> : <span class="unknown">none</span>}</td>
    </tr>
  );
}
