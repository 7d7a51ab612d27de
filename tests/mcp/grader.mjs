// The conformance suite of the protocol's makers, as an independent grader: all that a version requires is run, and all that
// can hold of a server without the suite's own fixtures holds.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stage } from './stage.mjs';

const VERSIONS = ['2025-11-25', '2026-07-28'];
const PROGRAM = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const ENDED_WITHIN_MS = 60_000;

const FIXTURE = 'asks for a tool, a prompt or a resource of the suite\'s own server';
const CAPABILITY = 'a capability that the server does not claim';
const EXTENSION = 'an extension that the server does not claim';
const INPUT = 'a server that asks its client for input, which this one never does';

/** Scenarios that do not apply, by the beginning of their names. A row whose scenarios all pass is wrong. */
const DOES_NOT_APPLY = [
  ['completion-complete', CAPABILITY],
  ['logging-set-level', CAPABILITY],
  ['resources-subscribe', CAPABILITY],
  ['resources-unsubscribe', CAPABILITY],
  ['tasks-', EXTENSION],
  ['tools-call-', FIXTURE],
  ['resources-read-', FIXTURE],
  ['resources-templates-read', FIXTURE],
  ['prompts-get-', FIXTURE],
  ['json-schema-2020-12', FIXTURE],
  ['http-custom-header-', 'headers of arguments, which no tool here wants'],
  ['elicitation-', INPUT],
  ['input-required-result-', INPUT],
];
/** What a check says that only a fixture could pass. */
const NOT_TESTABLE = /^Not testable: server does not list the diagnostic tool/;

/** @typedef {{scenario: string, checks: {id: string, status: string, errorMessage?: string}[]}} Grade */

/** Runs all that a version requires. @returns {Grade[]} */
function grades(/** @type {string} */ version) {
  const folder = join(stage.scratch, version);
  const args = ['--import', './old_node.mjs', PROGRAM, 'server', '--url', `${stage.gateways.all}/mcp`, '--requirements', version, '-o', folder];
  // It fails for every scenario that does not apply, so that its exit code says nothing.
  const { error, stderr } = spawnSync(process.execPath, args, { timeout: ENDED_WITHIN_MS, encoding: 'utf8' });
  if (error) throw new Error(stderr, { cause: error });
  return readdirSync(folder).map((name) => {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name) ?? assert.fail(name);
    return { scenario, checks: JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) };
  });
}

const failed = (/** @type {Grade} */ { checks }) => checks.filter(({ status, errorMessage = '' }) => status === 'FAILURE' && !NOT_TESTABLE.test(errorMessage));

const unused = new Set(DOES_NOT_APPLY.map(([start]) => start));
for (const version of VERSIONS) {
  const all = grades(version);
  assert.ok(all.length > 20, `${version}: only ${all.length} scenarios ran`);
  const passed = all.filter((grade) => failed(grade).length === 0);
  for (const grade of all.filter((grade) => !passed.includes(grade))) {
    const row = DOES_NOT_APPLY.find(([start]) => grade.scenario.startsWith(start));
    assert.ok(row, `${version}: ${grade.scenario}: ${JSON.stringify(failed(grade))}`);
    unused.delete(row[0]);
  }
  const checks = passed.flatMap(({ checks }) => checks).filter(({ status }) => status === 'SUCCESS').length;
  console.log(`${version}: ${checks} checks of ${passed.length} scenarios pass: ${passed.map(({ scenario }) => scenario).join(', ')}`);
}
assert.deepEqual([...unused], [], 'rows whose scenarios pass');
for (const [start, why] of DOES_NOT_APPLY) console.log(`does not apply: ${start}: ${why}`);
