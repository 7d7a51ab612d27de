// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for GMX' second version: its store of data, the share of a market, which holds the market's tokens, and the router
// that pays funding fees; no package holds their bytecode. Keys are those of the real store. Orders, prices and roles are
// left out, since the build script is the only author.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract DataStoreDouble {
    mapping(bytes32 => uint256) public getUint;
    mapping(bytes32 => address) public getAddress;
    mapping(bytes32 => bool) public getBool;
    mapping(bytes32 => address[]) private addresses;
    mapping(bytes32 => bytes32[]) private words;

    function setUint(bytes32 key, uint256 value) external {
        getUint[key] = value;
    }

    function put(string calldata list, address contract_, address long, address short) external {
        addresses[keccak256(abi.encode(list))].push(contract_);
        getAddress[keccak256(abi.encode(contract_, keccak256(abi.encode("LONG_TOKEN"))))] = long;
        getAddress[keccak256(abi.encode(contract_, keccak256(abi.encode("SHORT_TOKEN"))))] = short;
    }

    function owe(address market, address token, address account, uint256 amount) external {
        getUint[keccak256(abi.encode(keccak256(abi.encode("CLAIMABLE_FUNDING_AMOUNT")), market, token, account))] = amount;
    }

    function open(address account, address market, address token, uint256 collateral, bool isLong) external {
        bytes32 key = keccak256(abi.encode(account, market, token, isLong));
        words[keccak256(abi.encode(keccak256(abi.encode("ACCOUNT_POSITION_LIST")), account))].push(key);
        getAddress[keccak256(abi.encode(key, keccak256(abi.encode("MARKET"))))] = market;
        getAddress[keccak256(abi.encode(key, keccak256(abi.encode("COLLATERAL_TOKEN"))))] = token;
        getUint[keccak256(abi.encode(key, keccak256(abi.encode("COLLATERAL_AMOUNT"))))] = collateral;
        getBool[keccak256(abi.encode(key, keccak256(abi.encode("IS_LONG"))))] = isLong;
    }

    function getAddressCount(bytes32 list) external view returns (uint256) {
        return addresses[list].length;
    }

    function getBytes32Count(bytes32 list) external view returns (uint256) {
        return words[list].length;
    }

    function getAddressValuesAt(bytes32 list, uint256 start, uint256 end) external view returns (address[] memory values) {
        values = new address[](end - start);
        for (uint256 i = start; i < end; i++) values[i - start] = addresses[list][i];
    }

    function getBytes32ValuesAt(bytes32 list, uint256 start, uint256 end) external view returns (bytes32[] memory values) {
        values = new bytes32[](end - start);
        for (uint256 i = start; i < end; i++) values[i - start] = words[list][i];
    }
}

contract MarketTokenDouble is TokenCore {
    string public constant name = "GMX Market";
    string public constant symbol = "GM";
    uint8 public constant decimals = 18;

    function transferOut(TokenCore token, address receiver, uint256 amount) external {
        if (amount > 0) token.transfer(receiver, amount);
    }
}

contract GmxRouterDouble {
    DataStoreDouble private immutable store;

    constructor(DataStoreDouble store_) {
        store = store_;
    }

    function claimFundingFees(MarketTokenDouble[] calldata markets, TokenCore[] calldata tokens, address receiver)
        external
        payable
        returns (uint256[] memory amounts)
    {
        require(markets.length == tokens.length, "InvalidClaimFundingFeesInput");
        amounts = new uint256[](markets.length);
        bytes32 list = keccak256(abi.encode("CLAIMABLE_FUNDING_AMOUNT"));
        for (uint256 i = 0; i < markets.length; i++) {
            bytes32 key = keccak256(abi.encode(list, markets[i], tokens[i], msg.sender));
            amounts[i] = store.getUint(key);
            store.setUint(key, 0);
            markets[i].transferOut(tokens[i], receiver, amounts[i]);
        }
    }
}
