// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for what markets of Morpho Blue ask: a rate that does not depend on use, and a price that is set. Markets and
// vaults themselves are real. And for Moolah, its fork, written from its sources: views are those of the real one, shares
// are a millionth of a smallest unit, there is no interest, and who may call what is not checked.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";
import { VaultDouble } from "./PriceDoubles.sol";

struct MorphoMarketParams {
    address loanToken;
    address collateralToken;
    address oracle;
    address irm;
    uint256 lltv;
}

struct MorphoMarket {
    uint128 totalSupplyAssets;
    uint128 totalSupplyShares;
    uint128 totalBorrowAssets;
    uint128 totalBorrowShares;
    uint128 lastUpdate;
    uint128 fee;
}

contract MorphoRateDouble {
    uint256 private immutable rate;

    constructor(uint256 rate_) {
        rate = rate_;
    }

    function borrowRateView(MorphoMarketParams memory, MorphoMarket memory) public view returns (uint256) {
        return rate;
    }

    function borrowRate(MorphoMarketParams memory params, MorphoMarket memory market) external view returns (uint256) {
        return borrowRateView(params, market);
    }
}

contract MorphoOracleDouble {
    uint256 public immutable price;

    constructor(uint256 price_) {
        price = price_;
    }
}

contract MoolahDouble {
    struct Position {
        uint256 supplyShares;
        uint128 borrowShares;
        uint128 collateral;
    }

    uint128 private constant SHARES = 1e6;

    mapping(bytes32 => MorphoMarketParams) public idToMarketParams;
    mapping(bytes32 => MorphoMarket) public market;
    mapping(bytes32 => mapping(address => Position)) public position;
    mapping(bytes32 => address) public brokers;
    mapping(bytes32 => uint256) private prices;

    function createMarket(MorphoMarketParams memory params, uint256 price, address broker) external {
        bytes32 id = keccak256(abi.encode(params));
        (idToMarketParams[id], prices[id], brokers[id]) = (params, price, broker);
        market[id].lastUpdate = uint128(block.timestamp);
    }

    function put(bytes32 id, address user, uint128 supplied, uint128 borrowed, uint128 collateral) external {
        MorphoMarket storage totals = market[id];
        totals.totalSupplyAssets += supplied;
        totals.totalSupplyShares += supplied * SHARES;
        totals.totalBorrowAssets += borrowed;
        totals.totalBorrowShares += borrowed * SHARES;
        Position storage its = position[id][user];
        its.supplyShares += supplied * SHARES;
        its.borrowShares += borrowed * SHARES;
        its.collateral += collateral;
    }

    function getPrice(MorphoMarketParams memory params) external view returns (uint256) {
        return prices[keccak256(abi.encode(params))];
    }
}

contract LendingBrokerDouble {
    mapping(address => uint256) public getUserTotalDebt;

    function set(address user, uint256 debt) external {
        getUserTotalDebt[user] = debt;
    }
}

contract MoolahVaultDouble is VaultDouble {
    bytes32[] public withdrawQueue;

    constructor(TokenCore asset_) VaultDouble(asset_, "Lista USD1 Vault", "listaUSD1") {}

    function withdrawQueueLength() external view returns (uint256) {
        return withdrawQueue.length;
    }

    function push(bytes32 id) external {
        withdrawQueue.push(id);
    }
}
