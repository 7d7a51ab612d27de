// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Ethena's vault with its cooldowns and for a vault of Beefy's, which no package holds. Rewards come at once, and
// nobody is restricted.
pragma solidity ^0.8.30;

import { TokenCore, TokenDouble } from "./Tokens.sol";

// What waits is kept apart from what the vault has.
contract CooldownSiloDouble {
    address private immutable vault = msg.sender;

    function withdraw(TokenCore token, address to, uint256 amount) external {
        require(msg.sender == vault, "only the vault");
        token.transfer(to, amount);
    }
}

contract CooldownVaultDouble is TokenDouble {
    struct Cooldown {
        uint104 cooldownEnd;
        uint152 underlyingAmount;
    }

    TokenCore public immutable asset;
    CooldownSiloDouble private immutable silo = new CooldownSiloDouble();
    uint24 public cooldownDuration;
    mapping(address => Cooldown) public cooldowns;

    constructor(TokenCore asset_, string memory name_, string memory symbol_, uint24 duration)
        TokenDouble(name_, symbol_, 18)
    {
        (asset, cooldownDuration) = (asset_, duration);
    }

    function setCooldownDuration(uint24 duration) external {
        cooldownDuration = duration;
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return (shares * (asset.balanceOf(address(this)) + 1)) / (totalSupply + 1);
    }

    function deposit(uint256 assets) external {
        uint256 shares = (assets * (totalSupply + 1)) / (asset.balanceOf(address(this)) + 1);
        asset.transferFrom(msg.sender, address(this), assets);
        totalSupply += shares;
        balanceOf[msg.sender] += shares;
        emit Transfer(address(0), msg.sender, shares);
    }

    function cooldownShares(uint256 shares) external {
        require(cooldownDuration > 0, "OperationNotAllowed");
        uint256 assets = convertToAssets(shares);
        totalSupply -= shares;
        balanceOf[msg.sender] -= shares;
        emit Transfer(msg.sender, address(0), shares);
        Cooldown storage own = cooldowns[msg.sender];
        own.cooldownEnd = uint104(block.timestamp) + cooldownDuration;
        own.underlyingAmount += uint152(assets);
        asset.transfer(address(silo), assets);
    }

    function unstake(address receiver) external {
        Cooldown memory own = cooldowns[msg.sender];
        require(block.timestamp >= own.cooldownEnd || cooldownDuration == 0, "InvalidCooldown");
        delete cooldowns[msg.sender];
        silo.withdraw(asset, receiver, own.underlyingAmount);
    }
}

contract BeefyVaultDouble is TokenDouble {
    TokenCore public immutable want;

    constructor(TokenCore want_, string memory name_, string memory symbol_) TokenDouble(name_, symbol_, 18) {
        want = want_;
    }

    function getPricePerFullShare() external view returns (uint256) {
        return totalSupply == 0 ? 1e18 : (want.balanceOf(address(this)) * 1e18) / totalSupply;
    }

    function deposit(uint256 amount) external {
        uint256 held = want.balanceOf(address(this));
        uint256 shares = totalSupply == 0 ? amount : (amount * totalSupply) / held;
        want.transferFrom(msg.sender, address(this), amount);
        totalSupply += shares;
        balanceOf[msg.sender] += shares;
        emit Transfer(address(0), msg.sender, shares);
    }
}
