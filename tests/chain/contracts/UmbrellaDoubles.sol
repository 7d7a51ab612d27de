// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Aave's Umbrella: a controller of rewards, a staked token, and the wrapped token that it stakes; no package
// holds their bytecode. Views, indexes, cooldowns, roundings and claims are those of the real ones; an emission is set and
// does not depend on how much is staked, and roles, pauses and signatures are left out.
pragma solidity ^0.8.30;

import { TokenCore, TokenDouble } from "./Tokens.sol";

contract UmbrellaRewardsDouble {
    struct Data {
        uint256 index;
        uint256 emission; // A second, with 18 decimals.
        uint256 end;
        address payer;
        mapping(address => uint256) indexes;
        mapping(address => uint256) accrued;
    }

    uint256 private constant SCALE = 1e18;

    address[] private assets;
    mapping(address => address[]) private rewards;
    mapping(address => uint256) private updatedAt;
    mapping(address => mapping(address => Data)) private datas;

    function addAsset(address asset) external {
        assets.push(asset);
        updatedAt[asset] = block.timestamp;
    }

    function addReward(address asset, address reward, uint256 emission, uint256 end, address payer) external {
        rewards[asset].push(reward);
        Data storage data = datas[asset][reward];
        (data.emission, data.end, data.payer) = (emission, end, payer);
    }

    function getAllAssets() external view returns (address[] memory) {
        return assets;
    }

    function getAllRewards(address asset) external view returns (address[] memory) {
        return rewards[asset];
    }

    function calculateCurrentEmissionScaled(address asset, address reward) external view returns (uint256) {
        Data storage data = datas[asset][reward];
        return block.timestamp > data.end ? 0 : data.emission;
    }

    function calculateCurrentUserRewards(address asset, address user) external view returns (address[] memory, uint256[] memory amounts) {
        StakedTokenDouble staked = StakedTokenDouble(asset);
        amounts = new uint256[](rewards[asset].length);
        for (uint256 i = 0; i < amounts.length; i++) {
            Data storage data = datas[asset][rewards[asset][i]];
            uint256 grown = indexOf(asset, data, staked.totalSupply()) - data.indexes[user];
            amounts[i] = (data.accrued[user] + (staked.balanceOf(user) * grown) / SCALE) / scaling(rewards[asset][i]);
        }
        return (rewards[asset], amounts);
    }

    function claimAllRewards(address asset, address receiver) external returns (address[] memory, uint256[] memory amounts) {
        StakedTokenDouble staked = StakedTokenDouble(asset);
        update(asset, staked.totalSupply(), msg.sender, staked.balanceOf(msg.sender));
        amounts = new uint256[](rewards[asset].length);
        for (uint256 i = 0; i < amounts.length; i++) {
            address reward = rewards[asset][i];
            Data storage data = datas[asset][reward];
            amounts[i] = data.accrued[msg.sender] / scaling(reward);
            if (amounts[i] == 0) continue;
            data.accrued[msg.sender] -= amounts[i] * scaling(reward);
            require(TokenCore(reward).transferFrom(data.payer, receiver, amounts[i]));
        }
        return (rewards[asset], amounts);
    }

    function handleAction(uint256 totalSupply, address user, uint256 balance) external {
        update(msg.sender, totalSupply, user, balance);
    }

    function update(address asset, uint256 totalSupply, address user, uint256 balance) private {
        for (uint256 i = 0; i < rewards[asset].length; i++) {
            Data storage data = datas[asset][rewards[asset][i]];
            data.index = indexOf(asset, data, totalSupply);
            data.accrued[user] += (balance * (data.index - data.indexes[user])) / SCALE;
            data.indexes[user] = data.index;
        }
        updatedAt[asset] = block.timestamp;
    }

    function indexOf(address asset, Data storage data, uint256 totalSupply) private view returns (uint256) {
        if (updatedAt[asset] >= data.end) return data.index;
        uint256 until = block.timestamp > data.end ? data.end : block.timestamp;
        if (totalSupply < 1e6) totalSupply = 1e6;
        return data.index + (data.emission * SCALE * (until - updatedAt[asset])) / totalSupply;
    }

    function scaling(address reward) private view returns (uint256) {
        return 10 ** (18 - TokenDouble(reward).decimals());
    }
}

contract StakedTokenDouble {
    struct Cooldown {
        uint192 amount;
        uint32 endOfCooldown;
        uint32 withdrawalWindow;
    }

    UmbrellaRewardsDouble private immutable controller;
    address public immutable asset;
    string public name;
    string public symbol;
    uint256 public totalAssets;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => Cooldown) public getStakerCooldown;

    constructor(UmbrellaRewardsDouble controller_, address asset_, string memory name_, string memory symbol_) {
        (controller, asset, name, symbol) = (controller_, asset_, name_, symbol_);
    }

    function decimals() external view returns (uint8) {
        return TokenDouble(asset).decimals();
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        return (shares * (totalAssets + 1)) / (totalSupply + 1);
    }

    function deposit(uint256 assets) external {
        controller.handleAction(totalSupply, msg.sender, balanceOf[msg.sender]);
        uint256 shares = (assets * (totalSupply + 1)) / (totalAssets + 1);
        (totalAssets, totalSupply) = (totalAssets + assets, totalSupply + shares);
        balanceOf[msg.sender] += shares;
        TokenCore(asset).transferFrom(msg.sender, address(this), assets);
    }

    function cooldown(uint32 length, uint32 window) external {
        getStakerCooldown[msg.sender] = Cooldown(uint192(balanceOf[msg.sender]), uint32(block.timestamp) + length, window);
    }

    // Without the wait, which no view of it tells.
    function redeemAll() external {
        controller.handleAction(totalSupply, msg.sender, balanceOf[msg.sender]);
        uint256 shares = balanceOf[msg.sender];
        uint256 assets = previewRedeem(shares);
        (totalAssets, totalSupply, balanceOf[msg.sender]) = (totalAssets - assets, totalSupply - shares, 0);
        TokenCore(asset).transfer(msg.sender, assets);
    }

    function slash(uint256 assets) external {
        controller.handleAction(totalSupply, address(0), 0);
        totalAssets -= assets;
        TokenCore(asset).transfer(msg.sender, assets);
    }
}

// Worth 1.1 of what it wraps.
contract WrappedTokenDouble is TokenDouble {
    address public immutable asset;

    constructor(address asset_, string memory name_, string memory symbol_, uint8 decimals_) TokenDouble(name_, symbol_, decimals_) {
        asset = asset_;
    }

    function convertToAssets(uint256 shares) external pure returns (uint256) {
        return (shares * 11) / 10;
    }
}
