// Chain id 1: the name service, and names of every kind. What each resolves to is written down as it was set up; no
// client has been used.
import { keccak256, pad, toHex } from 'viem';
import { namehash } from 'viem/ens';
import { Ens, REGISTRAR, REGISTRY, UNIVERSAL_RESOLVER, dnsEncoded } from '../lib/ens.mjs';
import { MULTICALL3 } from '../lib/world.mjs';
import { OLD_PERIOD, SETUP, SNAPSHOT } from './times.mjs';

const YEAR = 31_536_000;
const LONG = 'a'.repeat(255);
const UNNORMALISED = 'Mixed.alice.eth';
const AVATAR = 'https://avatars.example/alice.png';
const COINS = { ethereum: 60n, optimism: 0x8000000an, polygon: 0x80000089n };
const BITCOIN = 0n;
const BITCOIN_SCRIPT = '0x76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac'; // ENSIP-9's own example.
const DEFAULT = 0x80000000n;

// The requested text and, if it differs, the name by ENSIP-15. Each has an address of its own.
const SPELLED = [
  ['BOB.eth', 'bob.eth'],
  ['_under.eth'],
  ['1.eth'],
  ['🚀.eth'],
  ['❤\ufe0f.eth', '❤.eth'],
  ['👨\u200d👩\u200d👧\u200d👦.eth'],
  ['🏴\u200d☠\ufe0f.eth', '🏴\u200d☠.eth'],
  ['1\ufe0f\u20e3.eth', '1\u20e3.eth'],
  ['bücher.eth'],
  ['BU\u0308CHER2.eth', 'b\u00fccher2.eth'], // The mark apart.
  ['中文.eth'],
  [`${LONG}.eth`],
];

// The deeds of resolvers that do not return an address and, if viem takes one for an address, which.
const DEEDS = [
  ['Revert'],
  ['BurnAllGas'],
  ['Megabytes'],
  ['CutWord'],
  ['DirtyWord', { viem: `0x${'ff'.repeat(20)}` }],
  ['NoBytes'],
  ['CutLookup'],
  ['LongAddress', { viem: '0x112233445566778899aabbccddeeff001122334455', network: 'optimism' }],
];

const GATEWAYS = ['get', 'post', 'twice', 'second', 'moody', 'slow', 'huge', 'redirect', 'wrong', 'broken', 'refused', 'garbage',
  'private', 'mapped', 'local', 'plain', 'endless', 'many', 'sender', 'callback', 'none'];

const WILD = ['x.wild.eth', 'a.b.c.wild.eth', '🚀.wild.eth', `${'b'.repeat(255)}.wild.eth`];

export const names = {
  name: 'names',
  chainId: 1,
  native: 10n ** 18n,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const ens = await Ens.create(world);
    const [wild, offchain, hostile, primary] =
      ['WildcardResolverDouble', 'OffchainResolverDouble', 'HostileResolverDouble', 'ReverseResolverDouble'].map((name) => world.deploy(name));
    await world.at(SETUP);
    const parts = [() => plain(world, ens), () => wildcards(ens, wild), () => broken(ens, hostile)];
    const forward = [];
    for (const part of parts) {
      forward.push(...part());
      await world.mine(); // In blocks of some dozens: anvil loses count where hundreds wait.
    }
    const both = moved(ens);
    const outside = gateways(world, ens, offchain);
    const reverse = backward(world, ens, { primary, hostile });
    await world.at(SNAPSHOT);
    return {
      contracts: { multicall3: MULTICALL3, registry: REGISTRY, registrar: REGISTRAR, universal: UNIVERSAL_RESOLVER, offchain },
      prices: {},
      more: { names: { forward, gateways: outside, moved: both, reverse } },
    };
  },
};

function plain(world, ens) {
  const { farmer, whale, dust, exited, nothing, bystander } = world.accounts;
  const resolver = ens.publicResolver;
  const found = (name, address, more = {}) => {
    ens.address(name, address);
    return { requested: name, name, address, resolver, coin: 60, expiry: ens.expiryOf(name), avatar: null, ...more };
  };
  const missing = (requested, more = {}) => ({ requested, name: requested, address: null, ...more });

  ens.register('alice', YEAR, resolver);
  ens.register('whale', 2 * YEAR, resolver);
  ens.register('dust', 3 * YEAR, resolver);
  ens.own('alice.eth', 'sub', { resolver });
  ens.own('sub.alice.eth', 'deep', { resolver });
  ens.register('noresolver', YEAR);
  ens.register('norecord', YEAR, resolver);
  ens.register('zero', YEAR, resolver);
  ens.register('noncontract', YEAR, nothing);
  ens.register('expired', OLD_PERIOD - SETUP, resolver);
  ens.ownInOld('old', resolver);
  const rows = [
    found('alice.eth', farmer, { avatar: AVATAR }),
    found('whale.eth', whale),
    found('dust.eth', dust),
    found('sub.alice.eth', bystander),
    found('deep.sub.alice.eth', exited),
    found('old.eth', whale),
    found('expired.eth', dust), // The registry goes on returning it.
    missing('noresolver.eth'),
    missing('norecord.eth'),
    missing('zero.eth'),
    missing('noncontract.eth'),
    missing('nobody.eth'),
    missing('nobody.alice.eth'), // Its parent's resolver does not speak for it.
    missing('eth'),
    missing('nobody.nosuchtld'),
    missing('alice.eth', { network: 'polygon' }), // An address of its own only.
  ];
  ens.address('zero.eth', pad('0x', { size: 20 }));
  ens.text('alice.eth', 'avatar', AVATAR);
  ens.address('alice.eth', BITCOIN_SCRIPT, BITCOIN);
  ens.address('alice.eth', exited, COINS.optimism);
  ens.address('whale.eth', whale, COINS.optimism);
  ens.address('whale.eth', whale, COINS.polygon);
  rows.push(
    { ...rows[0], address: exited, network: 'optimism', coin: Number(COINS.optimism) },
    { ...rows[1], network: 'polygon', coin: Number(COINS.polygon) },
  );
  SPELLED.forEach(([requested, name = requested], i) => {
    ens.register(name.slice(0, -'.eth'.length), YEAR, resolver);
    rows.push({ ...found(name, made(0xa0, i)), requested });
  });
  return rows;
}

// The double's rule, applied once more.
function wildcards(ens, resolver) {
  ens.register('wild', YEAR, resolver);
  ens.own('wild.eth', 'own', { resolver: ens.publicResolver });
  const addressOf = (hash) => hash.slice(0, 42);
  const of = (name) => {
    const dns = dnsEncoded(name);
    return { requested: name, name, address: addressOf(keccak256(dns)), resolver, coin: 60, expiry: ens.expiryOf(name), avatar: null };
  };
  return [...WILD.map(of), of('wild.eth'), { requested: 'own.wild.eth', name: 'own.wild.eth', address: null }];
}

// Names that their resolvers answer with what is no answer.
function broken(ens, resolver) {
  ens.register('hostile', YEAR);
  return DEEDS.map(([deed, more = {}]) => {
    const label = deed.toLowerCase();
    const name = `${label}.hostile.eth`;
    ens.own('hostile.eth', label, { resolver });
    ens.hostile(resolver, name, deed);
    return { requested: name, name, address: null, hostile: true, ...more };
  });
}

// As ENS's own test of clients: the addresses by which `ur.gtest.eth` shows whether the universal resolver was called.
function moved(ens) {
  const name = 'ur.gtest.eth';
  const [old, newer] = [`0x${'11'.repeat(20)}`, `0x${'ee'.repeat(20)}`];
  ens.register('gtest', YEAR);
  ens.own('gtest.eth', 'ur', { resolver: ens.publicResolver });
  ens.address(name, old);
  ens.ownInNewer(name, newer);
  return { name, universal: { address: newer, resolver: ens.newResolver }, registry: { address: old, resolver: ens.publicResolver } };
}

// Names below `offchain.eth` have no gateways until a test sets them: it knows their ports.
function gateways(world, ens, resolver) {
  ens.register('offchain', YEAR, resolver);
  const named = GATEWAYS.map((label) => `${label}.offchain.eth`);
  return { resolver, account: world.accounts.odd, nodes: Object.fromEntries(named.map((name) => [name, namehash(name)])) };
}

function backward(world, ens, { primary, hostile }) {
  const { farmer, whale, odd, dust, nothing, exited, bystander } = world.accounts;
  const rows = [];
  const of = (address, name, more = {}) => rows.push({ address, name, network: 'ethereum', ...more });

  // Records that say what is no name, or none that is theirs.
  [
    UNNORMALISED,
    'Alice.eth',
    'evil\u202e.eth',
    'a..eth',
    '.',
    'eth',
    'n'.repeat(5_000),
    'xn--bcher-kva.eth',
    '\u0430lice.eth', // A Cyrillic a.
    '0x0000000000000000000000000000000000000001',
  ].forEach((text, i) => {
    const address = made(0xb0, i);
    ens.reverse(address, text);
    of(address, null, { says: text, ...(text === UNNORMALISED && { viem: text }) });
  });
  // Whoever owns a name can hash one below it that no client may accept.
  ens.own('alice.eth', UNNORMALISED.split('.')[0], { resolver: ens.publicResolver });
  ens.address(UNNORMALISED, made(0xb0, 0));
  ['Revert', 'BurnAllGas', 'Megabytes', 'CutWord', 'NoBytes', 'CutLookup', 'NoText'].forEach((deed, i) => {
    const address = made(0xc0, i);
    const name = `${address.slice(2)}.addr.reverse`;
    ens.reverse(address, undefined, hostile);
    ens.hostile(hostile, name, deed);
    of(address, null, { says: deed, hostile: true });
  });

  ens.own('', 'reverse', { resolver: primary });
  ens.own('reverse', '8000000a', { resolver: primary });
  ens.openReverse();
  ens.claim('farmer', 'alice.eth');
  ens.claim('odd', 'get.offchain.eth'); // A gateway will say so.
  ens.claim('nothing', 'alice.eth'); // A spoof.
  ens.claim('exited', 'norecord.eth');
  ens.claim('bystander', 'sub.alice.eth');
  const call = (coin, account, name) => world.send('deployer', primary, 'ReverseResolverDouble', 'setName', [coin, account, name]);
  call(COINS.optimism, exited, 'alice.eth');
  call(COINS.optimism, farmer, 'alice.eth'); // Alice's address there is another one.
  call(DEFAULT, whale, 'whale.eth');
  call(DEFAULT, dust, 'dust.eth');

  of(farmer, 'alice.eth');
  of(bystander, 'sub.alice.eth');
  of(exited, null, { says: 'norecord.eth' });
  of(nothing, null, { says: 'alice.eth' });
  of(made(0xd0, 0), null);
  // By the default record, where there is none for the network; for Ethereum there is none at all.
  of(whale, 'whale.eth');
  of(dust, 'dust.eth');
  of(exited, 'alice.eth', { network: 'optimism' });
  of(farmer, null, { network: 'optimism', says: 'alice.eth' });
  of(whale, 'whale.eth', { network: 'polygon' });
  of(whale, 'whale.eth', { network: 'optimism' });
  of(dust, null, { network: 'polygon', says: 'dust.eth' });
  of(made(0xd0, 0), null, { network: 'polygon' });
  return rows;
}

// An address that nobody has: recognisable, and different for each use.
function made(kind, number) {
  return `0x${toHex(kind, { size: 1 }).slice(2).repeat(19)}${toHex(number + 1, { size: 1 }).slice(2)}`;
}
