// Chain id 1: doubles of Lista's vaults and of Moolah, with a broker. The tests know by arithmetic what its accounts have;
// see tests/tests/e2e/lista.rs.
import { encodeAbiParameters, keccak256, stringToHex, zeroAddress } from 'viem';
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const RAY = 10n ** 27n;
const [SLIS, BTCB, OLD] = ['slisBNB', 'BTCB', 'STONE'].map((name) => stringToHex(name, { size: 32 }));

export const lista = {
  name: 'lista',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const token = (name, symbol) => world.deploy('TokenDouble', [name, symbol, 18]);
    const [slis, btcb, stone] = [token('Staked Lista BNB', 'slisBNB'), token('BTCB Token', 'BTCB'), token('StakeStone Ether', 'STONE')];
    const [unknown, lisusd, usd1] = [token('Not a collateral', 'NOT'), token('Lista USD', 'lisUSD'), token('World Liberty USD', 'USD1')];
    await world.at(SETUP);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const who = world.accounts;

    // Vaults: slisBNB costs a hundredth a second, the others nothing; STONE has been taken off.
    const vat = world.deploy('VatDouble');
    const jug = world.deploy('JugDouble', [vat]);
    const spotter = world.deploy('SpotterDouble');
    const interaction = world.deploy('InteractionDouble', [vat, jug, spotter, lisusd]);
    const kind = (coin, ilk, spot, live) => {
      of('VatDouble', vat)('deployer', 'init', [ilk, spot]);
      of('JugDouble', jug)('deployer', 'init', [ilk, RAY]);
      of('SpotterDouble', spotter)('deployer', 'init', [ilk, (RAY * 5n) / 4n]);
      of('InteractionDouble', interaction)('deployer', 'setCollateralType', [coin, ilk, live]);
    };
    kind(slis, SLIS, (51_005n * RAY) / 100n, 1n);
    kind(btcb, BTCB, 40_000n * RAY, 1n);
    kind(stone, OLD, 1_000n * RAY, 2n);
    await world.mine();
    const vault = (name, coin, ink, art) => of('InteractionDouble', interaction)('deployer', 'deposit', [who[name], coin, ink, art]);
    vault('farmer', slis, 20n * ONE, 5_000n * ONE);
    vault('farmer', btcb, ONE, 0n);
    vault('whale', stone, 3n * ONE, 1_000n * ONE);

    // Moolah: both markets quote slisBNB at 600, at four fifths. The second has a broker, which says what is owed.
    const moolah = world.deploy('MoolahDouble');
    const broker = world.deploy('LendingBrokerDouble');
    const pool = world.deploy('MoolahVaultDouble', [usd1]);
    const params = (lltv) => ({ loanToken: usd1, collateralToken: slis, oracle: zeroAddress, irm: zeroAddress, lltv });
    const [plain, brokered] = [params((8n * ONE) / 10n), params((8n * ONE) / 10n - 1n)];
    const market = of('MoolahDouble', moolah);
    market('deployer', 'createMarket', [plain, 600n * 10n ** 36n, zeroAddress]);
    market('deployer', 'createMarket', [brokered, 600n * 10n ** 36n, broker]);
    of('MoolahVaultDouble', pool)('deployer', 'push', [id(plain)]);
    const put = (params_, name, ...amounts) => market('deployer', 'put', [id(params_), who[name], ...amounts]);
    put(plain, 'whale', 4_000n * ONE, 0n, 0n);
    put(plain, 'farmer', 0n, 3_000n * ONE, 10n * ONE);
    put(brokered, 'odd', 0n, 1_000n * ONE, 4n * ONE);
    put(plain, 'dust', 0n, 0n, 1n);
    of('LendingBrokerDouble', broker)('deployer', 'set', [who.odd, 1_200n * ONE]);
    // 100 shares of a vault that holds 110.
    of('MoolahVaultDouble', pool)('deployer', 'mint', [who.whale, 100n * ONE]);
    of('TokenDouble', usd1)('deployer', 'mint', [pool, 110n * ONE]);
    await world.at(SNAPSHOT - 2);
    of('JugDouble', jug)('deployer', 'init', [SLIS, RAY + RAY / 100n]);
    await world.at(SNAPSHOT);
    const assets = { slis, btcb, stone, unknown, lisusd, usd1 };
    const more = { lista: { interaction, moolah, vault: pool, brokered: id(brokered) }, assets };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more };
  },
};

function id({ loanToken, collateralToken, oracle, irm, lltv }) {
  const types = ['address', 'address', 'address', 'address', 'uint256'].map((type) => ({ type }));
  return keccak256(encodeAbiParameters(types, [loanToken, collateralToken, oracle, irm, lltv]));
}
