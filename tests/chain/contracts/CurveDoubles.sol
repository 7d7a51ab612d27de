// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for the factory and gauges that Curve has on other networks than Ethereum, and for a market of crvUSD; no package
// holds their bytecode. Views, claims and roundings are those of the real ones. The emission is paid at one rate instead of
// week by week; boosts, transfers, and all that moves loans from band to band are left out.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract ChildGaugeFactoryDouble {
    TokenCore public immutable crv;
    ChildGaugeDouble[] public get_gauge;
    mapping(address => mapping(address => uint256)) public minted;
    mapping(address => bool) public is_valid_gauge;

    constructor(TokenCore crv_) {
        crv = crv_;
    }

    function get_gauge_count() external view returns (uint256) {
        return get_gauge.length;
    }

    function deploy_gauge(TokenCore lp, uint256 rate) external {
        ChildGaugeDouble gauge = new ChildGaugeDouble(lp, rate);
        get_gauge.push(gauge);
        is_valid_gauge[address(gauge)] = true;
    }

    function mint(ChildGaugeDouble gauge) external {
        require(is_valid_gauge[address(gauge)]);
        gauge.user_checkpoint(msg.sender);
        uint256 total = gauge.integrate_fraction(msg.sender);
        uint256 owed = total - minted[msg.sender][address(gauge)];
        if (owed == 0) return;
        crv.transfer(msg.sender, owed);
        minted[msg.sender][address(gauge)] = total;
    }
}

contract ChildGaugeDouble {
    struct Reward {
        uint256 period_finish;
        uint256 rate;
        uint256 last_update;
        uint256 integral;
    }

    ChildGaugeFactoryDouble public immutable factory;
    TokenCore public immutable lp_token;
    uint256 public immutable inflation_rate;

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    uint256 public working_supply;
    mapping(address => uint256) public working_balances;

    uint256 internal integral;
    uint256 internal updated;
    mapping(address => uint256) internal integralOf;
    mapping(address => uint256) public integrate_fraction;
    mapping(address => uint256) public integrate_checkpoint_of;

    TokenCore[] internal tokens;
    mapping(TokenCore => Reward) public reward_data;
    mapping(address => address) public rewards_receiver;
    mapping(TokenCore => mapping(address => uint256)) public reward_integral_for;
    mapping(address => mapping(TokenCore => uint256)) internal owed;

    constructor(TokenCore lp, uint256 rate) {
        (factory, lp_token, inflation_rate, updated) = (ChildGaugeFactoryDouble(msg.sender), lp, rate, block.timestamp);
    }

    function reward_count() external view returns (uint256) {
        return tokens.length;
    }

    function reward_tokens(uint256 index) external view returns (TokenCore) {
        return index < tokens.length ? tokens[index] : TokenCore(address(0));
    }

    function add_reward(TokenCore token) external {
        tokens.push(token);
    }

    function deposit_reward_token(TokenCore token, uint256 amount, uint256 epoch) external {
        _checkpointRewards(address(0), false, address(0));
        token.transferFrom(msg.sender, address(this), amount);
        reward_data[token].rate = amount / epoch;
        reward_data[token].last_update = block.timestamp;
        reward_data[token].period_finish = block.timestamp + epoch;
    }

    function set_rewards_receiver(address receiver) external {
        rewards_receiver[msg.sender] = receiver;
    }

    function deposit(uint256 amount) external {
        _checkpoint(msg.sender);
        _checkpointRewards(msg.sender, false, address(0));
        lp_token.transferFrom(msg.sender, address(this), amount);
        _set(msg.sender, balanceOf[msg.sender] + amount);
    }

    function withdraw(uint256 amount) external {
        _checkpoint(msg.sender);
        _checkpointRewards(msg.sender, false, address(0));
        _set(msg.sender, balanceOf[msg.sender] - amount);
        lp_token.transfer(msg.sender, amount);
    }

    function user_checkpoint(address account) external returns (bool) {
        require(msg.sender == account || msg.sender == address(factory));
        _checkpoint(account);
        return true;
    }

    function claimable_tokens(address account) external returns (uint256) {
        _checkpoint(account);
        return integrate_fraction[account] - factory.minted(account, address(this));
    }

    function claimable_reward(address account, TokenCore token) external view returns (uint256) {
        uint256 earned = balanceOf[account] * (_integral(token) - reward_integral_for[token][account]) / 1e18;
        return owed[account][token] + earned;
    }

    function claim_rewards(address account, address receiver) external {
        if (receiver != address(0)) require(account == msg.sender);
        _checkpointRewards(account, true, receiver);
    }

    function _set(address account, uint256 balance) internal {
        totalSupply = totalSupply + balance - balanceOf[account];
        balanceOf[account] = balance;
        uint256 working = balance * 40 / 100;
        working_supply = working_supply + working - working_balances[account];
        working_balances[account] = working;
    }

    function _checkpoint(address account) internal {
        if (working_supply != 0) integral += inflation_rate * 1e18 * (block.timestamp - updated) / working_supply;
        updated = block.timestamp;
        integrate_fraction[account] += working_balances[account] * (integral - integralOf[account]) / 1e18;
        integralOf[account] = integral;
        integrate_checkpoint_of[account] = block.timestamp;
    }

    function _integral(TokenCore token) internal view returns (uint256) {
        Reward memory reward = reward_data[token];
        uint256 until = block.timestamp < reward.period_finish ? block.timestamp : reward.period_finish;
        if (totalSupply == 0 || until <= reward.last_update) return reward.integral;
        return reward.integral + (until - reward.last_update) * reward.rate * 1e18 / totalSupply;
    }

    function _checkpointRewards(address account, bool claim, address receiver) internal {
        if (claim && receiver == address(0)) {
            receiver = rewards_receiver[account] == address(0) ? account : rewards_receiver[account];
        }
        for (uint256 i = 0; i < tokens.length; i++) {
            TokenCore token = tokens[i];
            Reward storage reward = reward_data[token];
            uint256 until = block.timestamp < reward.period_finish ? block.timestamp : reward.period_finish;
            reward.integral = _integral(token);
            if (until > reward.last_update) reward.last_update = until;
            if (account == address(0)) continue;
            owed[account][token] += balanceOf[account] * (reward.integral - reward_integral_for[token][account]) / 1e18;
            reward_integral_for[token][account] = reward.integral;
            if (!claim || owed[account][token] == 0) continue;
            token.transfer(receiver, owed[account][token]);
            owed[account][token] = 0;
        }
    }
}

// The factory of crvUSD's controllers, with one market.
contract CrvUsdFactoryDouble {
    CrvUsdControllerDouble[] public controllers;

    function add(CrvUsdControllerDouble controller) external {
        controllers.push(controller);
    }

    function n_collaterals() external view returns (uint256) {
        return controllers.length;
    }
}

contract CrvUsdAmmDouble {
    address[2] public coins;
    uint256 public immutable rate;

    constructor(address lent, address collateral, uint256 rate_) {
        (coins, rate) = ([lent, collateral], rate_);
    }
}

contract CrvUsdControllerDouble {
    struct Loan {
        uint256 collateral;
        uint256 converted;
        uint256 debt;
        uint256 since;
        uint256 bands;
    }

    CrvUsdAmmDouble public immutable amm;
    uint256 public immutable price; // Of one smallest unit of collateral, with 18 decimals.
    uint256 public constant liquidation_discount = 6e16;
    mapping(address => Loan) internal loans;

    constructor(CrvUsdAmmDouble amm_, uint256 price_) {
        (amm, price) = (amm_, price_);
    }

    function create_loan(uint256 collateral, uint256 converted, uint256 debt, uint256 bands) external {
        loans[msg.sender] = Loan(collateral, converted, debt, block.timestamp, bands);
    }

    function loan_exists(address account) external view returns (bool) {
        return loans[account].debt != 0;
    }

    function debt(address account) public view returns (uint256) {
        Loan memory loan = loans[account];
        return loan.debt + loan.debt * amm.rate() * (block.timestamp - loan.since) / 1e18;
    }

    function user_state(address account) external view returns (uint256[4] memory) {
        Loan memory loan = loans[account];
        return [loan.collateral, loan.converted, debt(account), loan.bands];
    }

    function health(address account, bool) external view returns (int256) {
        Loan memory loan = loans[account];
        uint256 worth = loan.collateral * price / 1e18 + loan.converted;
        return int256(worth * (1e18 - liquidation_discount) / debt(account)) - 1e18;
    }
}
