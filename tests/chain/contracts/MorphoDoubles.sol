// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for what markets of Morpho Blue ask: a rate that does not depend on use, and a price that is set. Markets and
// vaults themselves are real.
pragma solidity ^0.8.30;

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
