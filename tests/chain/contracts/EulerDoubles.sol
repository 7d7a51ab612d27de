// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Euler v2's connector, factory, vaults and a perspective; no package holds their bytecode. Views, sub-accounts, virtual deposits
// and roundings are those of the real ones. Interest is not compounded, there is no fee, prices are set, whoever shares an
// owner's first 19 bytes may act for an account, and checks of what may be borrowed are left out.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

contract EvcDouble {
    mapping(bytes19 => address) private owners;
    mapping(address => address[]) private collaterals;
    mapping(address => address[]) private controllers;

    function getAccountOwner(address account) external view returns (address) {
        return owners[bytes19(uint152(uint160(account) >> 8))];
    }

    function getCollaterals(address account) external view returns (address[] memory) {
        return collaterals[account];
    }

    function getControllers(address account) external view returns (address[] memory) {
        return controllers[account];
    }

    function enable(address account, address collateral, address controller) external {
        bytes19 prefix = bytes19(uint152(uint160(account) >> 8));
        require(prefix == bytes19(uint152(uint160(msg.sender) >> 8)), "not its owner");
        owners[prefix] = msg.sender;
        if (collateral != address(0)) collaterals[account].push(collateral);
        if (controller != address(0)) controllers[account].push(controller);
    }
}

contract EVaultFactoryDouble {
    address[] private proxies;

    function add(address proxy) external {
        proxies.push(proxy);
    }

    function getProxyListLength() external view returns (uint256) {
        return proxies.length;
    }

    function getProxyListSlice(uint256 start, uint256 end) external view returns (address[] memory list) {
        require(start <= end && end <= proxies.length, "bad query");
        list = new address[](end - start);
        for (uint256 i = start; i < end; ++i) list[i - start] = proxies[i];
    }
}

contract EVaultDouble {
    uint256 private constant ONE = 1e27;
    uint256 private constant VIRTUAL = 1e6;
    uint256 private constant CONFIG_SCALE = 1e4;

    EvcDouble private immutable evc;
    address public immutable asset;
    uint256 public immutable interestRate;
    uint256 public immutable price; // Of one smallest unit, in a unit of account.
    uint256 private immutable ltv; // Of its shares, in any other vault.
    uint256 private immutable start = block.timestamp;
    uint16 public constant interestFee = 0;
    string public constant name = "EVK Vault";
    string public constant symbol = "eVault";
    uint256 private cash;
    uint256 private scaledDebts;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) private scaledDebtOf;

    constructor(EvcDouble evc_, address asset_, uint256 rate, uint256 price_, uint256 ltv_) {
        (evc, asset, interestRate, price, ltv) = (evc_, asset_, rate, price_, ltv_);
    }

    function decimals() external view returns (uint8) {
        return TokenDouble(asset).decimals();
    }

    function accumulator() private view returns (uint256) {
        return ONE + interestRate * (block.timestamp - start);
    }

    function up(uint256 scaled) private view returns (uint256) {
        return (scaled * accumulator() + ONE - 1) / ONE;
    }

    function debtOf(address account) public view returns (uint256) {
        return up(scaledDebtOf[account]);
    }

    function totalBorrows() public view returns (uint256) {
        return up(scaledDebts);
    }

    function totalAssets() public view returns (uint256) {
        return cash + totalBorrows();
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return (shares * (totalAssets() + VIRTUAL)) / (totalSupply + VIRTUAL);
    }

    function accountLiquidity(address account, bool) external view returns (uint256 collateral, uint256 liability) {
        address[] memory given = evc.getCollaterals(account);
        for (uint256 i; i < given.length; ++i) {
            EVaultDouble vault = EVaultDouble(given[i]);
            collateral += (vault.convertToAssets(vault.balanceOf(account)) * vault.price() * vault.share()) / CONFIG_SCALE;
        }
        liability = debtOf(account) * price;
    }

    function share() external view returns (uint256) {
        return ltv;
    }

    function deposit(uint256 assets, address receiver) external {
        uint256 shares = (assets * (totalSupply + VIRTUAL)) / (totalAssets() + VIRTUAL);
        TokenDouble(asset).transferFrom(msg.sender, address(this), assets);
        (cash, totalSupply, balanceOf[receiver]) = (cash + assets, totalSupply + shares, balanceOf[receiver] + shares);
    }

    function redeem(uint256 shares, address receiver, address owner) external {
        require(owner == msg.sender, "not its owner");
        uint256 assets = convertToAssets(shares);
        (cash, totalSupply, balanceOf[owner]) = (cash - assets, totalSupply - shares, balanceOf[owner] - shares);
        TokenDouble(asset).transfer(receiver, assets);
    }

    function borrowFor(address account, uint256 assets) external {
        require(uint160(account) >> 8 == uint160(msg.sender) >> 8, "not its owner");
        uint256 scaled = (assets * ONE + accumulator() - 1) / accumulator();
        (cash, scaledDebts, scaledDebtOf[account]) = (cash - assets, scaledDebts + scaled, scaledDebtOf[account] + scaled);
        TokenDouble(asset).transfer(msg.sender, assets);
    }

    // All that an account owes.
    function repay(address account) external {
        uint256 assets = debtOf(account);
        TokenDouble(asset).transferFrom(msg.sender, address(this), assets);
        (cash, scaledDebts, scaledDebtOf[account]) = (cash + assets, scaledDebts - scaledDebtOf[account], 0);
    }
}

contract PerspectiveDouble {
    mapping(address => bool) public isVerified;

    function verify(address vault) external {
        isVerified[vault] = true;
    }
}
