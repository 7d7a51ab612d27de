// node events.mjs [--check] FILE.cases.json...: writes FILE.logs.json beside each, or with --check compares with it.
// Cases are written by hand (the format stands in plugin-api/README.md); logs, calldata and replies come from viem, so
// that what the decoder of tables is tested with was encoded by another. Same input, same output.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { concat, encodeAbiParameters, encodeEventTopics, encodeFunctionData, encodeFunctionResult, isAddress, parseAbiItem } from 'viem';

const MEMBERS = ['title', 'event', 'args', 'contract', 'network', 'wrapped', 'tx', 'neighbours', 'views', 'expect'];
const NEIGHBOUR_MEMBERS = ['event', 'args', 'contract', 'after'];
const VIEW_MEMBERS = ['to', 'call', 'args', 'returns', 'values'];
const EXPECT_MEMBERS = ['type', 'protocol', 'members'];

const check = process.argv[2] === '--check';
const files = process.argv.slice(check ? 3 : 2);
if (files.length === 0 || !files.every((file) => file.endsWith('.cases.json'))) {
  console.error('usage: node events.mjs [--check] FILE.cases.json...');
  process.exit(2);
}
for (const file of files) {
  try {
    write(file.replace(/\.cases\.json$/, '.logs.json'), encoded(JSON.parse(readFileSync(file, 'utf8'))));
  } catch (error) {
    console.error(`${file}: ${error.message}`);
    process.exitCode = 1;
  }
}

// One case in a line, so that a change of one is a change of a line.
function write(file, cases) {
  const text = `[\n${cases.map((one) => ` ${JSON.stringify(one)}`).join(',\n')}\n]\n`;
  if (!check) return writeFileSync(file, text);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) throw new Error(`${file} is not what its cases encode to`);
}

function encoded(cases) {
  const titles = cases.map(({ title }) => title);
  const twice = titles.find((title, place) => titles.indexOf(title) !== place);
  if (twice) throw new Error(`two cases are "${twice}"`);
  return cases.map((one) => {
    try {
      return encodedCase(one);
    } catch (error) {
      throw new Error(`"${one.title}": ${error.shortMessage ?? error.message}`);
    }
  });
}

function encodedCase(one) {
  known('case', one, MEMBERS);
  const { title, neighbours = [], views = [] } = one;
  if (typeof title !== 'string') throw new Error('a case needs a title');
  if (!Array.isArray(one.expect)) throw new Error('a case needs `expect`, [] for nothing');
  one.expect.forEach((expected) => known('expectation', expected, EXPECT_MEMBERS));
  neighbours.forEach((neighbour) => known('neighbour', neighbour, NEIGHBOUR_MEMBERS));
  const before = neighbours.filter(({ after }) => !after);
  const logs = [...before, one, ...neighbours.filter(({ after }) => after)].map(log);
  return { title, place: before.length, logs, views: views.map(view) };
}

// `contract` and a raw log (`topics`, `data`) for what no encoder makes: `event` is then an object.
function log({ event, args = {}, contract }) {
  if (!isAddress(contract, { strict: false })) throw new Error(`contract ${contract} is not an address`);
  const address = contract.toLowerCase();
  if (typeof event === 'object') return { address, topics: event.topics, data: event.data };
  const item = parseAbiItem(event.startsWith('event ') ? event : `event ${event}`);
  const unnamed = item.inputs.some(({ name }) => !name);
  if (unnamed) throw new Error(`${event}: every parameter needs a name`);
  known(event, args, item.inputs.map(({ name }) => name));
  const value = (input) => typed(input, args[input.name], `${item.name}.${input.name}`);
  const rest = item.inputs.filter(({ indexed }) => !indexed);
  const topics = encodeEventTopics({
    abi: [item],
    eventName: item.name,
    args: Object.fromEntries(item.inputs.filter(({ indexed }) => indexed).map((input) => [input.name, value(input)])),
  });
  return { address, topics, data: encodeAbiParameters(rest, rest.map(value)) };
}

function view(one) {
  known('view', one, VIEW_MEMBERS);
  const { to, call, args = [], returns, values } = one;
  const item = parseAbiItem(`function ${call} view returns (${returns.join(', ')})`);
  const inputs = item.inputs.map((input, place) => typed(input, args[place], `argument ${place} of ${call}`));
  if (args.length !== inputs.length) throw new Error(`${call} takes ${inputs.length} arguments`);
  if (values.length !== item.outputs.length) throw new Error(`${call} returns ${item.outputs.length} values`);
  const outputs = item.outputs.map((output, place) => typed(output, values[place], `value ${place} of ${call}`));
  const abi = [item];
  const functionName = item.name;
  const data = inputs.length === 0 ? encodeFunctionData({ abi, functionName }) : encodeFunctionData({ abi, functionName, args: inputs });
  const result = outputs.length === 1 ? outputs[0] : outputs;
  return { to: to.toLowerCase(), data, reply: outputs.length === 0 ? concat([]) : encodeFunctionResult({ abi, functionName, result }) };
}

// Numbers stand in JSON as texts, tuples as objects or arrays.
function typed(input, value, what) {
  if (value === undefined) throw new Error(`${what} is missing`);
  const array = input.type.match(/^(.*)\[(\d*)\]$/);
  if (array) {
    if (!Array.isArray(value)) throw new Error(`${what} is not an array`);
    return value.map((one, place) => typed({ ...input, type: array[1] }, one, `${what}[${place}]`));
  }
  if (input.type === 'tuple') {
    const at = (component, place) => (Array.isArray(value) ? value[place] : value[component.name]);
    const members = input.components.map((component, place) => typed(component, at(component, place), `${what}.${component.name ?? place}`));
    const named = input.components.every(({ name }) => name);
    return named ? Object.fromEntries(input.components.map(({ name }, place) => [name, members[place]])) : members;
  }
  if (/^u?int\d*$/.test(input.type)) {
    if (typeof value !== 'string') throw new Error(`${what} is not a number in a string`);
    return /^u?int(8|16|24|32|40|48)$/.test(input.type) ? Number(value) : BigInt(value);
  }
  return input.type === 'address' ? value.toLowerCase() : value;
}

function known(what, object, members) {
  const unknown = Object.keys(object).find((member) => !members.includes(member));
  if (unknown) throw new Error(`${what} has no \`${unknown}\``);
}
