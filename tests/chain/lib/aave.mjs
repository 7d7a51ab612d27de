// A market of Aave v3 with its rewards, put together as its deployment scripts do. Each
// action is queued on the chain and done on the model.
import { encodeFunctionData, maxUint256, zeroAddress } from 'viem';
import { artifacts } from './artifacts.mjs';
import { IncentiveModel, ReserveModel } from './aave_models.mjs';
import { RAY } from './ray.mjs';
import { give } from './tokens.mjs';

const VARIABLE = 2n;
const LIBRARIES = ['BorrowLogic', 'BridgeLogic', 'ConfiguratorLogic', 'EModeLogic', 'FlashLoanLogic', 'LiquidationLogic', 'PoolLogic', 'SupplyLogic'];
const USD_UNIT = 10n ** 8n;
const BONUS = 10_500n; // Basis points; what a liquidator gets does not matter here.

export class AaveMarket {
  // `at`: addresses of { provider, dataProviders, controller }, where they shall not be
  // ordinary ones; the pool is where its provider makes it. Rows of reserves: { token, price (as the oracle returns it), terms }
  static async create(world, { protocol, title, at = {}, reserves }) {
    const market = new AaveMarket(world, protocol);
    await market.#contracts(title, at, reserves);
    await market.#list(reserves);
    return market;
  }

  constructor(world, protocol) {
    Object.assign(this, { world, protocol, reserves: [], rewards: [] });
    world.markets.push(this);
  }

  supply(who, token, amount) {
    const reserve = this.#reserveOf(token);
    this.#approved(who, token, amount);
    this.#send(who, 'supply', [token.address, amount, this.world.accounts[who], 0]);
    reserve.model.supply(this.world.now, who, amount);
  }

  withdrawAll(who, token) {
    this.#send(who, 'withdraw', [token.address, maxUint256, this.world.accounts[who]]);
    this.#reserveOf(token).model.withdrawAll(this.world.now, who);
  }

  borrow(who, token, amount) {
    this.#send(who, 'borrow', [token.address, amount, VARIABLE, 0, this.world.accounts[who]]);
    this.#reserveOf(token).model.borrow(this.world.now, who, amount);
  }

  // Pays back at most `most`, of which the account gets what it lacks.
  repay(who, token, most) {
    this.#approved(who, token, most);
    this.#send(who, 'repay', [token.address, most, VARIABLE, this.world.accounts[who]]);
    this.#reserveOf(token).model.repay(this.world.now, who, most);
  }

  // Rows: { token (the reserve's), side, reward, perSecond, end }. Paid from the deployer.
  emit(rows) {
    const { world } = this;
    const fresh = [...new Set(rows.map(({ reward }) => reward))].filter((reward) => !this.rewards.includes(reward));
    for (const reward of fresh) {
      reward.transferStrategy ??= world.deploy('PullRewardsTransferStrategy', [this.controller, world.accounts.deployer, world.accounts.deployer]);
      reward.priceSource ??= world.deploy('MockAggregator', [1n]);
      world.send('deployer', this.emissionManager, 'EmissionManager', 'setEmissionAdmin', [reward.address, world.accounts.deployer]);
      world.send('deployer', reward.address, 'TokenDouble', 'approve', [reward.transferStrategy, maxUint256]);
      this.rewards.push(reward);
    }
    const inputs = rows.map(({ token, side, reward, perSecond, end }) => ({
      emissionPerSecond: perSecond, totalSupply: 0n, distributionEnd: Number(end), asset: this.#asset(token, side),
      reward: reward.address, transferStrategy: reward.transferStrategy, rewardOracle: reward.priceSource,
    }));
    world.send('deployer', this.emissionManager, 'EmissionManager', 'configureAssets', [inputs]);
    for (const { token, side, reward, perSecond, end } of rows) {
      const reserve = this.#reserveOf(token);
      const scaled = side === 'supply' ? reserve.model.supplied : reserve.model.debt;
      const incentive = new IncentiveModel({ scaled, decimals: token.decimals, perSecond, start: world.now, end: BigInt(end) });
      reserve.incentives.push({ reward, asset: this.#asset(token, side), model: incentive });
    }
  }

  // The a- and debt tokens that pay something to somebody.
  get incentivised() {
    return [...new Set(this.reserves.flatMap(({ incentives, aToken, debtToken }) =>
      [aToken, debtToken].filter((asset) => incentives.some((one) => one.asset === asset))))];
  }

  // The a- and debt tokens in which `who` has earned something of that token, in the
  // reserves' order, and how much in all.
  earned(reward, who) {
    const paying = this.reserves.flatMap(({ aToken, debtToken, incentives }) => [aToken, debtToken]
      .flatMap((asset) => incentives.filter((one) => one.asset === asset && one.reward === reward))
      .map(({ asset, model }) => ({ asset, amount: model.earned(this.world.now, who) })))
      .filter(({ amount }) => amount > 0n);
    return { assets: paying.map(({ asset }) => asset), amount: paying.reduce((sum, { amount }) => sum + amount, 0n) };
  }

  claimData(assets, reward, who) {
    const args = [assets, maxUint256, this.world.accounts[who], reward.address];
    return encodeFunctionData({ abi: artifacts.RewardsController.abi, functionName: 'claimRewards', args });
  }

  async #contracts(title, at, reserves) {
    const { world } = this;
    const owner = world.accounts.deployer;
    this.provider = await this.#standing(at.provider, 'PoolAddressesProvider', [title, owner]);
    const provide = (functionName, ...args) => world.send('deployer', this.provider, 'PoolAddressesProvider', functionName, args);

    provide('setACLAdmin', owner);
    const roles = world.deploy('ACLManager', [this.provider]);
    provide('setACLManager', roles);
    world.send('deployer', roles, 'ACLManager', 'addPoolAdmin', [owner]);

    const libraries = {};
    for (const name of LIBRARIES) libraries[name] = world.deploy(name, [], libraries);
    provide('setPoolImpl', world.deploy('Pool', [this.provider], libraries));
    provide('setPoolConfiguratorImpl', world.deploy('PoolConfigurator', [], libraries));
    const sources = reserves.map(({ price }) => world.deploy('MockAggregator', [price]));
    provide('setPriceOracle', world.deploy('AaveOracle', [this.provider, reserves.map(({ token }) => token.address), sources, zeroAddress, zeroAddress, USD_UNIT]));

    this.dataProviders = at.dataProviders ?? [];
    if (at.dataProviders) await world.place(at.dataProviders.map((address) => [address, 'AaveProtocolDataProvider', [this.provider]]));
    else this.dataProviders = [world.deploy('AaveProtocolDataProvider', [this.provider])];
    provide('setPoolDataProvider', this.dataProviders[0]);

    this.controller = await this.#standing(at.controller, 'InitializableAdminUpgradeabilityProxy', []);
    this.emissionManager = world.deploy('EmissionManager', [this.controller, owner]);
    const logic = world.deploy('RewardsController');
    const first = encodeFunctionData({ abi: artifacts.RewardsController.abi, functionName: 'initialize', args: [this.emissionManager] });
    world.send('deployer', this.controller, 'InitializableAdminUpgradeabilityProxy', 'initialize', [logic, roles, first]);

    await world.mine();
    const [pool, configurator] = await world.views(['getPool', 'getPoolConfigurator'].map((view) => [this.provider, 'PoolAddressesProvider', view]));
    Object.assign(this, { pool: pool.toLowerCase(), configurator });
  }

  async #list(rows) {
    const { world } = this;
    const configure = (functionName, ...args) => world.send('deployer', this.configurator, 'PoolConfigurator', functionName, args);
    const [aTokenImpl, stableDebtTokenImpl, variableDebtTokenImpl] = ['AToken', 'StableDebtToken', 'VariableDebtToken'].map((name) => world.deploy(name, [this.pool]));
    for (const { token, terms } of rows) {
      const { optimal, base, slope1, slope2 } = terms;
      const interestRateStrategyAddress = world.deploy('DefaultReserveInterestRateStrategy', [this.provider, optimal, base, slope1, slope2, 0n, 0n, 0n, 0n, RAY / 5n]);
      configure('initReserves', [{
        aTokenImpl, stableDebtTokenImpl, variableDebtTokenImpl, underlyingAssetDecimals: token.decimals, interestRateStrategyAddress,
        underlyingAsset: token.address, treasury: world.accounts.deployer, incentivesController: this.controller,
        aTokenName: `Aave ${token.symbol}`, aTokenSymbol: `a${token.symbol}`,
        variableDebtTokenName: `Aave Variable Debt ${token.symbol}`, variableDebtTokenSymbol: `variableDebt${token.symbol}`,
        stableDebtTokenName: `Aave Stable Debt ${token.symbol}`, stableDebtTokenSymbol: `stableDebt${token.symbol}`, params: '0x',
      }]);
      if (terms.threshold > 0n) configure('configureReserveAsCollateral', token.address, terms.ltv, terms.threshold, BONUS);
      configure('setReserveFactor', token.address, terms.factor);
      configure('setReserveBorrowing', token.address, true);
    }
    await world.mine();
    const found = await world.views(rows.map(({ token }) => [this.dataProviders[0], 'AaveProtocolDataProvider', 'getReserveTokensAddresses', [token.address]]));
    this.reserves = rows.map(({ token, price, terms }, i) => {
      const [aToken, , debtToken] = found[i].map((address) => address.toLowerCase());
      return { token, aToken, debtToken, incentives: [], model: new ReserveModel({ ...terms, price, decimals: token.decimals }) };
    });
  }

  // At the address if one is given, else at an ordinary one.
  async #standing(address, artifact, args) {
    if (!address) return this.world.deploy(artifact, args);
    await this.world.place([[address, artifact, args]]);
    return address;
  }

  #send(who, functionName, args) {
    this.world.send(who, this.pool, 'Pool', functionName, args);
  }

  #approved(who, token, amount) {
    give(this.world, token, who, amount);
    this.world.send(who, token.address, 'TokenDouble', 'approve', [this.pool, amount]);
  }

  #reserveOf(token) {
    return this.reserves.find((reserve) => reserve.token === token);
  }

  #asset(token, side) {
    const { aToken, debtToken } = this.#reserveOf(token);
    return side === 'supply' ? aToken : debtToken;
  }
}

// Terms in parts of a thousand a year and basis points.
export function terms({ optimal, base, slope1, slope2, factor, ltv, threshold }) {
  const thousandth = (n) => (BigInt(n) * RAY) / 1000n;
  return {
    optimal: thousandth(optimal), base: thousandth(base), slope1: thousandth(slope1), slope2: thousandth(slope2),
    factor: BigInt(factor), ltv: BigInt(ltv), threshold: BigInt(threshold),
  };
}
