// The name service: its real contracts at their real addresses, and what owners do with their names. The deployer owns
// all names, and every name is hashed as it is written here, normalised or not.
import { hexToBigInt, stringToBytes } from 'viem';
import { labelhash, namehash } from 'viem/ens';

export const REGISTRY = '0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e';
export const UNIVERSAL_RESOLVER = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee'; // The DAO's proxy, on Ethereum and its testnets.
export const REGISTRAR = '0x57f1887a8bf19b14fc0df6fd9b2acc9af147ea85'; // Of .eth.

const LABEL_BYTES_MAX = 255; // What has room in a DNS-encoded name.
const ETHER = 60n;
const DEEDS = ['Nothing', 'Revert', 'BurnAllGas', 'Megabytes', 'CutWord', 'DirtyWord', 'NoBytes', 'CutLookup', 'LongAddress', 'NoText'];

export class Ens {
  static async create(world) {
    const ens = new Ens(world);
    ens.old = world.deploy('ENSRegistry');
    await world.place([[REGISTRY, 'ENSRegistryWithFallback', [ens.old]]]);
    await world.place([[REGISTRAR, 'BaseRegistrarImplementation', [REGISTRY, namehash('eth')]]]);
    ens.publicResolver = world.deploy('PublicResolver', [REGISTRY]);
    ens.newer = world.deploy('ENSRegistry');
    ens.newResolver = world.deploy('PublicResolver', [ens.newer]);
    // While nobody owns `addr.reverse`: else their constructors claim their own reverse record from its owner.
    const reverseResolver = world.deploy('DefaultReverseResolver', [REGISTRY]);
    ens.reverseRegistrar = world.deploy('ReverseRegistrar', [REGISTRY, reverseResolver]);
    await world.place([[UNIVERSAL_RESOLVER, 'UniversalResolverDouble', [REGISTRY, ens.newer]]]);
    ens.own('', 'reverse');
    ens.own('reverse', 'addr');
    ens.own('', 'eth', { owner: REGISTRAR });
    world.send('deployer', REGISTRAR, 'BaseRegistrarImplementation', 'addController', [world.accounts.deployer]);
    await world.mine();
    return ens;
  }

  constructor(world) {
    this.world = world;
    this.expiries = new Map();
  }

  // A .eth name from the registrar; `seconds` until it expires.
  register(label, seconds, resolver) {
    const owner = this.world.accounts.deployer;
    this.world.send('deployer', REGISTRAR, 'BaseRegistrarImplementation', 'register', [hexToBigInt(labelhash(label)), owner, BigInt(seconds)]);
    this.expiries.set(`${label}.eth`, Number(this.world.now) + seconds);
    if (resolver) this.#registry('setResolver', [namehash(`${label}.eth`), resolver]);
  }

  // Until when the registrar holds what a name hangs on; null where the registrar does not know it.
  expiryOf(name) {
    return this.expiries.get(name.split('.').slice(-2).join('.')) ?? null;
  }

  // A name below one that the deployer owns.
  own(parent, label, { owner = this.world.accounts.deployer, resolver } = {}) {
    this.#registry('setSubnodeOwner', [namehash(parent), labelhash(label), owner]);
    if (resolver) this.#registry('setResolver', [namehash(parent ? `${label}.${parent}` : label), resolver]);
  }

  // In the registry that today's falls back on: nobody has moved the name.
  ownInOld(label, resolver) {
    this.#registry('setSubnodeOwner', [namehash(''), labelhash('eth'), this.world.accounts.deployer], this.old);
    this.#registry('setSubnodeOwner', [namehash('eth'), labelhash(label), this.world.accounts.deployer], this.old);
    this.#registry('setResolver', [namehash(`${label}.eth`), resolver], this.old);
  }

  // In the registry that counts for the universal resolver alone; what today's says of the name stays.
  ownInNewer(name, address) {
    const labels = name.split('.');
    labels.reverse().reduce((parent, label) => {
      this.#registry('setSubnodeOwner', [namehash(parent), labelhash(label), this.world.accounts.deployer], this.newer);
      return parent ? `${label}.${parent}` : label;
    }, '');
    this.#registry('setResolver', [namehash(name), this.newResolver], this.newer);
    this.#record('setAddr', [namehash(name), ETHER, address], this.newResolver);
  }

  address(name, address, coin = ETHER) {
    this.#record('setAddr', [namehash(name), coin, address]);
  }

  text(name, key, value) {
    this.#record('setText', [namehash(name), key, value]);
  }

  // A reverse record that its account never had to sign, while the deployer owns `addr.reverse`.
  reverse(address, name, resolver = this.publicResolver) {
    const label = address.slice(2).toLowerCase();
    this.own('addr.reverse', label, { resolver });
    if (name !== undefined) this.#record('setName', [namehash(`${label}.addr.reverse`), name]);
  }

  // From here on accounts set their reverse records themselves.
  openReverse() {
    this.own('reverse', 'addr', { owner: this.reverseRegistrar });
  }

  claim(who, name) {
    this.world.send(who, this.reverseRegistrar, 'ReverseRegistrar', 'setName', [name]);
  }

  hostile(resolver, name, deed) {
    this.world.send('deployer', resolver, 'HostileResolverDouble', 'setDeed', [namehash(name), DEEDS.indexOf(deed)]);
  }

  #registry(functionName, args, registry = REGISTRY) {
    this.world.send('deployer', registry, 'ENSRegistry', functionName, args);
  }

  #record(functionName, args, resolver = this.publicResolver) {
    this.world.send('deployer', resolver, 'PublicResolver', functionName, args);
  }
}

// The name as resolvers see it: each label after its length, and an empty one.
export function dnsEncoded(name) {
  const labels = name.split('.').map((label) => stringToBytes(label));
  if (labels.some(({ length }) => length === 0 || length > LABEL_BYTES_MAX)) throw new Error(`${name} has no DNS encoding`);
  return Uint8Array.from([...labels.flatMap((label) => [label.length, ...label]), 0]);
}
