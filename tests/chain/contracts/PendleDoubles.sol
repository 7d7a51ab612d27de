// SPDX-License-Identifier: MIT OR Apache-2.0
// What stands around Pendle's own contracts: wrapped assets, of which each issuer has its own, and in one contract the
// factories and the controller of gauges, of which the package has bytecode that only a proxy can begin.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

interface IPendlePrincipalToken {
    function initialize(address yieldToken) external;
}

// Stands for a wrapped asset (SY) that pays what it is sent as a reward to all its holders.
contract WrappedAssetDouble {
    struct Earned {
        uint256 index;
        uint256 accrued;
    }

    uint256 private constant ONE = 1e18;

    string public name;
    string public symbol;
    uint8 public immutable decimals;
    uint8 private immutable kind;
    TokenDouble private immutable asset;
    TokenDouble public immutable yieldToken;
    TokenDouble private immutable reward; // None if it is zero.
    uint256 public exchangeRate = ONE;
    uint256 public totalSupply;
    uint256 private index = 1;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => Earned) private earned;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(string memory name_, string memory symbol_, uint8 kind_, TokenDouble asset_, TokenDouble yieldToken_, TokenDouble reward_) {
        (name, symbol, kind, asset, yieldToken, reward) = (name_, symbol_, kind_, asset_, yieldToken_, reward_);
        decimals = yieldToken_.decimals();
    }

    function mint(address to, uint256 value) external {
        _settle(to);
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function setExchangeRate(uint256 rate) external {
        exchangeRate = rate;
    }

    function addReward(uint256 amount) external {
        reward.mint(address(this), amount);
        index += (amount * ONE) / totalSupply;
    }

    function assetInfo() external view returns (uint8, address, uint8) {
        return (kind, address(asset), asset.decimals());
    }

    // Only the yield token leaves, one for one.
    function previewRedeem(address tokenOut, uint256 amount) external view returns (uint256) {
        require(tokenOut == address(yieldToken), "SYInvalidTokenOut");
        return amount;
    }

    function getRewardTokens() external view returns (address[] memory tokens) {
        tokens = new address[](_rewards());
        if (tokens.length > 0) tokens[0] = address(reward);
    }

    function rewardIndexesCurrent() external view returns (uint256[] memory indexes) {
        indexes = new uint256[](_rewards());
        if (indexes.length > 0) indexes[0] = index;
    }

    // Anyone may send it; it pays the account that it names.
    function claimRewards(address user) external returns (uint256[] memory amounts) {
        amounts = new uint256[](_rewards());
        if (amounts.length == 0) return amounts;
        _settle(user);
        amounts[0] = earned[user].accrued;
        earned[user].accrued = 0;
        reward.transfer(user, amounts[0]);
    }

    function _rewards() private view returns (uint256) {
        return address(reward) == address(0) ? 0 : 1;
    }

    function _move(address from, address to, uint256 value) private {
        _settle(from);
        _settle(to);
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function _settle(address user) private {
        Earned storage holder = earned[user];
        if (holder.index == 0) holder.index = 1;
        holder.accrued += (balanceOf[user] * (index - holder.index)) / ONE;
        holder.index = index;
    }
}

contract PendleFactoryDouble {
    address public immutable pendle;
    address public immutable treasury;
    uint128 public constant interestFeeRate = 5e16;
    uint128 public constant rewardFeeRate = 5e16;
    mapping(address => uint256) private given;

    constructor(address pendle_, address treasury_) {
        (pendle, treasury) = (pendle_, treasury_);
    }

    // The factory of what this creates.
    function create(bytes calldata code) external returns (address created) {
        bytes memory copied = code;
        assembly {
            created := create(0, add(copied, 0x20), mload(copied))
        }
        require(created != address(0), "not created");
    }

    function initialize(IPendlePrincipalToken principalToken, address yieldToken) external {
        principalToken.initialize(yieldToken);
    }

    function getMarketConfig(address, address) external view returns (address, uint80, uint8) {
        return (treasury, 0, 80);
    }

    // The controller's part: a market gets what was given it when it asks.
    function give(address market, uint256 amount) external {
        TokenDouble(pendle).mint(address(this), amount);
        given[market] += amount;
    }

    function redeemMarketReward() external {
        uint256 amount = given[msg.sender];
        given[msg.sender] = 0;
        TokenDouble(pendle).transfer(msg.sender, amount);
    }
}
