// Twenty tasks and more. Each is given to an assistant that has tools alone, and what it finds or sends is compared with the
// arithmetic of the chains' builds, or with what the contracts themselves say.
import assert from 'node:assert/strict';
import { formatUnits } from 'viem';
import { Agent, employed } from './agent.mjs';
import { exact, near, sum } from './amounts.mjs';
import { stage } from './stage.mjs';
import { Wallet } from './wallet.mjs';

const { accounts, answering, blocks, failing, farms, healths, names, owed, protocols } = stage.expected;
const { exited, farmer, whale } = accounts;
/** Where loans are. */
const HEALTH_NETWORK = 'ethereum';
/** Where all is claimed at once, and where of one protocol. */
const [WHOLE, PARTLY] = ['polygon', 'ethereum'];
const FARMS = 'farms';
const NOBODY = '0x00000000000000000000000000000000000000aa';

const [REVERTED, REFUSED] = ['reverted', 'refused'].map((wanted) => farms.verdicts.find((/** @type {string[]} */ [, verdict]) => verdict === wanted)[0]);
const verdictOf = (/** @type {string} */ farm) => farms.verdicts.find((/** @type {string[]} */ [own]) => own === farm)[1];

const wallets = Object.fromEntries(stage.nodes.map(({ network }) => [network, new Wallet(network)]));

/**
 * @typedef {Record<string, Agent>} Agents by the names of gateways
 * @typedef {object} Task
 * @property {string} task what a person asks for
 * @property {(agents: Agents) => Promise<unknown>} act
 * @property {(found: any) => unknown} judge fails unless it is right
 */

/** Calls of plans that were mined, with their hashes. @type {{to: string, data: string, hash: string}[]} */
const sent = [];

/** What the assistant claims of a network: the calls of the plan, as they are. */
async function claim(/** @type {Agent} */ agent, /** @type {string} */ network, /** @type {Record<string, unknown>} */ more = {}, wallet = wallets[network]) {
  const { data, notes } = await agent.call('claim_plan', { account: wallet.address, network, ...more });
  assert.deepEqual(notes.missing, []);
  const tokens = data.pays.map((/** @type {any} */ pay) => pay.token.address);
  const { brought, done: receipts } = await wallet.brought(tokens, () => wallet.send(data.walletSendCalls));
  return { data, notes, brought, receipts };
}

/** What claims of a network pay by the arithmetic, raw by token. */
function paid(/** @type {string} */ network, /** @type {(claim: any) => boolean} */ chosen = () => true) {
  /** @type {Record<string, bigint>} */
  const pays = {};
  for (const { pays: own } of owed[network].claims.filter(chosen)) {
    for (const [token, raw] of Object.entries(own)) pays[token] = (pays[token] ?? 0n) + BigInt(/** @type {string} */ (raw));
  }
  return pays;
}

/** An account's claimables on a network by the arithmetic. */
const claimables = (/** @type {any} */ account, /** @type {string} */ network) => account.claimables.filter((/** @type {any} */ row) => row.network === network.toUpperCase());

/** Amounts by symbol and network. */
function bySymbol(/** @type {any[]} */ rows, /** @type {(row: any) => [string, string]} */ of) {
  /** @type {Record<string, string[]>} */
  const amounts = {};
  for (const row of rows) {
    const [symbol, amount] = of(row);
    (amounts[symbol] ??= []).push(amount);
  }
  return Object.fromEntries(Object.entries(amounts).map(([symbol, all]) => [symbol, sum(all)]));
}

/** A token that is owed on several networks, if there is one. */
const SYMBOL = mostOften(exited.claimables.map((/** @type {any} */ row) => row.symbol));

function mostOften(/** @type {string[]} */ words) {
  const count = (/** @type {string} */ word) => words.filter((one) => one === word).length;
  return words.reduce((most, word) => (count(word) > count(most) ? word : most));
}

/** @type {Task[]} */
const TASKS = [
  {
    task: `How much ${SYMBOL} can this account claim over all networks?`,
    act: async ({ all }) => {
      const { rows, notes } = await all.pages('claimables', { account: exited.address });
      assert.deepEqual(notes.missing, []);
      return sum(rows.filter(({ token }) => token.symbol === SYMBOL).map(({ amount }) => amount));
    },
    judge: (found) => assert.equal(found, sum(exited.claimables.filter((/** @type {any} */ row) => row.symbol === SYMBOL).map((/** @type {any} */ row) => row.amount))),
  },
  {
    task: 'What is this account worth?',
    act: async ({ all }) => (await all.call('positions', { account: whale.address })).data.totals.net,
    judge: (found) => near(found, sum([whale.assets, `-${whale.debts}`])),
  },
  {
    task: 'What does it owe?',
    act: async ({ all }) => (await all.call('positions', { account: farmer.address })).data.totals.debts,
    judge: (found) => near(found, farmer.debts),
  },
  {
    task: 'How healthy are its loans?',
    act: async ({ all }) => {
      const { rows } = await all.pages('positions', { account: farmer.address, network: HEALTH_NETWORK }, positions);
      return [...new Set(rows.filter(({ health }) => health).map(({ health }) => exact(health.factor)))].sort();
    },
    judge: (found) => {
      const own = healths.farmer.filter((/** @type {string[]} */ [, network]) => network === HEALTH_NETWORK.toUpperCase());
      const expected = [...new Set(own.map((/** @type {string[]} */ [, , factor]) => exact(factor)))].sort();
      assert.ok(expected.length > 0);
      assert.deepEqual(found, expected);
    },
  },
  {
    task: 'What native balances has it on three networks?',
    act: async ({ all }) => {
      const { data } = await all.call('native_balances', { account: whale.address });
      return Object.fromEntries(data.map((/** @type {any} */ row) => [row.network.name.toLowerCase(), exact(row.amount)]));
    },
    judge: async (found) => {
      for (const network of ['ethereum', 'optimism', 'polygon']) {
        assert.equal(found[network], exact(formatUnits(await wallets[network].native(whale.address), 18)), network);
      }
    },
  },
  {
    task: 'Which address has this name?',
    act: async ({ names: agent }) => (await agent.call('address_of_name', { name: names.forward.requested })).data.address,
    judge: (found) => assert.equal(found, names.forward.address),
  },
  {
    task: 'Which name has this address?',
    act: async ({ names: agent }) => (await agent.call('name_of_address', { account: names.reverse.address, network: names.reverse.network })).data.name,
    judge: (found) => assert.equal(found, names.reverse.name),
  },
  {
    task: 'What can it claim, though a network fails?',
    act: async ({ failing: agent }) => {
      const { rows, notes } = await agent.pages('claimables', { account: exited.address });
      return { figure: sum(rows.map(({ dollarValue }) => dollarValue)), incomplete: notes.missing };
    },
    judge: ({ figure, incomplete }) => {
      near(figure, sum(claimables(exited, answering).map((/** @type {any} */ row) => row.dollars)));
      const sentence = incomplete.find((/** @type {string} */ one) => one.includes(`Everything on ${failing}: `));
      assert.match(sentence ?? incomplete.join('\n'), /upstream.* What you can do: ask again/);
    },
  },
  {
    task: 'Does a protocol that nobody knows owe it something?',
    act: ({ all }) => all.reason('claimables', { account: exited.address, include: 'madeup_finance' }),
    judge: (found) => assert.match(found, /madeup_finance/),
  },
  {
    task: 'Claims of which protocols are read, and where?',
    act: async ({ all }) => (await all.pages('coverage', {})).rows.filter(({ question }) => question === 'claimables').map(({ protocol, network }) => `${slug(protocol)} on ${slug(network)}`),
    judge: (found) => {
      const read = protocols.map((/** @type {string[]} */ [protocol, network]) => `${protocol} on ${network}`);
      for (const [protocol] of protocols) {
        for (const { network } of stage.nodes.filter(({ network }) => network !== FARMS)) {
          const pair = `${protocol} on ${network}`;
          assert.equal(found.includes(pair), read.includes(pair), pair);
        }
      }
    },
  },
  {
    task: 'What do all of very many farms owe?',
    act: ({ many }) => many.pages('claimables', { account: wallets[FARMS].address }),
    judge: ({ rows, count, notes }) => {
      assert.ok(count > 1, 'one slice');
      assert.deepEqual(notes.missing, []);
      // Each farm once.
      assert.deepEqual(rows.map(({ claimId }) => farmOf(claimId)).sort(), [...farms.many.farms].sort());
      for (const { amount } of rows) assert.equal(amount, farms.many.amount);
    },
  },
  {
    task: 'Claim everything where nothing is owed',
    act: ({ all }) => all.call('claim_plan', { account: NOBODY, network: WHOLE }),
    judge: ({ data, notes }) => {
      assert.deepEqual([data.walletSendCalls, data.transactions, notes.missing], [null, [], []]);
      assert.match(notes.leftOut.join('\n'), /no calls/);
    },
  },
  {
    task: 'Claim what can be claimed of one protocol',
    act: async ({ all }) => {
      const { protocol } = claimables(exited, PARTLY)[0];
      const { data, brought } = await claim(all, PARTLY, { include: protocol });
      return { brought, protocol, calls: data.walletSendCalls.params[0].calls.length };
    },
    judge: ({ brought, protocol }) => assert.deepEqual(brought, paid(PARTLY, ({ to }) => claimables(exited, PARTLY).some((/** @type {any} */ row) => row.to === to && row.protocol === protocol))),
  },
  {
    task: 'Claim everything on a network',
    act: async ({ all }) => {
      const { data, brought, receipts } = await claim(all, WHOLE);
      sent.push(...data.walletSendCalls.params[0].calls.map((/** @type {any} */ call, /** @type {number} */ place) => ({ ...call, hash: receipts[place].transactionHash })));
      return brought;
    },
    judge: (found) => assert.deepEqual(found, paid(WHOLE)),
  },
  {
    task: 'What came in with that transaction?',
    act: async ({ all }) => {
      const { hash } = sent[0];
      const { data } = await all.call('transaction', { hash, network: WHOLE, account: exited.address });
      return Object.fromEntries(data.account.in.map((/** @type {any} */ { tokenAddress, amount }) => [tokenAddress, exact(amount)]));
    },
    judge: (found) => {
      const [{ to, data }] = sent;
      const { pays } = owed[WHOLE].claims.find((/** @type {any} */ claim) => claim.to === to && claim.data === data);
      const { decimals } = owed[WHOLE];
      assert.deepEqual(found, Object.fromEntries(Object.entries(pays).map(([token, raw]) => [token, formatUnits(BigInt(/** @type {string} */ (raw)), decimals[token])])));
    },
  },
  {
    task: 'What could it claim before that?',
    act: async ({ all }) => {
      const { rows } = await all.pages('claimables', { account: exited.address, network: WHOLE, block: String(blocks[WHOLE]) });
      return bySymbol(rows, ({ token, amount }) => [token.symbol, amount]);
    },
    judge: (found) => assert.deepEqual(found, bySymbol(claimables(exited, WHOLE), ({ symbol, amount }) => [symbol, amount])),
  },
  {
    task: 'Which claims must not be sent?',
    act: async (agents) => Promise.all([FARMS, 'differing'].map((name) => agents[name].call('claimables', { account: wallets[FARMS].address }))),
    judge: (found) => {
      const rows = found.flatMap(({ data }) => data);
      const sentences = found.flatMap(({ notes }) => notes.doNotSend);
      for (const [farm, verdict] of farms.verdicts) {
        const { claimId, simulated } = rows.find((/** @type {any} */ row) => farmOf(row.claimId) === farm);
        assert.equal(simulated, verdict);
        assert.equal(sentences.filter((/** @type {string} */ sentence) => sentence.startsWith(`Do not send ${claimId}: its trial `)).length, 1, sentences.join('\n'));
      }
      assert.equal(sentences.length, farms.verdicts.length);
      assert.ok(!hasCalldata(rows));
    },
  },
  ...[REVERTED, REFUSED].map((farm) => ({
    task: `Claim of a farm whose claim is ${verdictOf(farm)}`,
    act: (/** @type {Agents} */ { farms: agent }) => agent.call('claim_plan', { account: wallets[FARMS].address, network: 'polygon' }),
    judge: (/** @type {any} */ { data, notes }) => {
      assert.ok(!JSON.stringify([data.walletSendCalls, data.transactions]).includes(farm), 'the claim is in the plan');
      const sentence = notes.doNotSend.find((/** @type {string} */ one) => one.includes(farm));
      assert.match(sentence ?? '', /it is not part of the plan/);
    },
  })),
  {
    task: 'Claim where one claim pays nothing',
    act: ({ differing }) => differing.call('claim_plan', { account: wallets[FARMS].address, network: 'polygon' }),
    judge: ({ data, notes }) => {
      assert.deepEqual([data.simulated, data.walletSendCalls, data.transactions], ['differs', null, []]);
      assert.ok(!hasCalldata(data));
      assert.match(notes.doNotSend[0], /^Do not send this plan: /);
    },
  },
  {
    task: 'Claim a token whose name gives orders',
    act: ({ farms: agent }) => claim(agent, 'polygon', {}, wallets[FARMS]),
    judge: async ({ data, notes, brought }) => {
      // The orders are data: they stand in no note, and the calls go to farms alone.
      assert.ok(JSON.stringify(data).includes(farms.hostile.name) || JSON.stringify(data).includes(farms.hostile.symbol));
      assert.ok(!/badbad0|SYSTEM|CLAIM-ME/i.test(JSON.stringify(notes)), JSON.stringify(notes));
      const targets = data.walletSendCalls.params[0].calls.map((/** @type {any} */ { to }) => to.toLowerCase()).sort();
      assert.deepEqual(targets, [farms.hostile.farm, farms.plain.farm].sort());
      assert.deepEqual(brought, { [farms.hostile.token]: 10n ** 19n, [farms.plain.token]: 10n ** 19n });
    },
  },
  {
    task: 'How much of a token does it have now?',
    act: async ({ farms: agent }) => {
      const { data } = await agent.call('token_balances', { account: wallets[FARMS].address, network: 'polygon', 'min-block': String(await wallets[FARMS].block()) });
      return data.map((/** @type {any} */ { token, amount }) => [token.address, exact(amount)]);
    },
    judge: async (found) => {
      const { token } = farms.plain;
      const balance = formatUnits(await wallets[FARMS].balance(token), await wallets[FARMS].decimals(token));
      assert.deepEqual(found, [[token, balance]]);
    },
  },
];

const positions = (/** @type {any} */ { protocols }) => protocols.flatMap((/** @type {any} */ group) => group.positions);
const slug = (/** @type {any} */ named) => named?.slug ?? named?.name?.toLowerCase() ?? named;
const hasCalldata = (/** @type {unknown} */ data) => /"data":"0x|claimTransaction|claimSteps/.test(JSON.stringify(data));
/** The farm of a claim. */
const farmOf = (/** @type {string} */ claimId) => claimId.split('-').find((part) => part.startsWith('0x'));

await employed(Object.keys(stage.gateways), async (agents) => {
  const failures = [];
  for (const { task, act, judge } of TASKS) {
    try {
      const found = await act(agents);
      await judge(found);
      console.log(`right: ${task}`);
    } catch (error) {
      failures.push(error);
      console.error(`WRONG: ${task}\n`, error);
    }
  }
  console.log(`${TASKS.length - failures.length} of ${TASKS.length} tasks end rightly`);
  process.exitCode = failures.length === 0 ? 0 : 1;
});
