// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands for Dolomite's contract of markets and accounts, which no package holds: balances of accounts by owner and number,
// their values by prices that are set, and what they must be worth. Interest has been added when a balance is set; moving
// balances, liquidations and premiums of markets are left out.
pragma solidity ^0.8.30;

contract DolomiteMarginDouble {
    struct AccountInfo {
        address owner;
        uint256 number;
    }

    struct Par {
        bool sign;
        uint128 value;
    }

    struct Wei {
        bool sign;
        uint256 value;
    }

    struct Market {
        address token;
        uint256 price;
        uint256 rate;
    }

    uint256 private constant RATIO = 0.15e18;
    Market[] private markets;
    mapping(address => mapping(uint256 => uint256[])) private held;
    mapping(address => mapping(uint256 => mapping(uint256 => Wei))) private balances;

    function add(address token, uint256 price, uint256 rate) external {
        markets.push(Market(token, price, rate));
    }

    function set(AccountInfo calldata account, uint256 marketId, bool sign, uint256 value) external {
        held[account.owner][account.number].push(marketId);
        balances[account.owner][account.number][marketId] = Wei(sign, value);
    }

    function getAccountNumberOfMarketsWithBalances(AccountInfo calldata account) external view returns (uint256) {
        return held[account.owner][account.number].length;
    }

    function getAccountBalances(AccountInfo calldata account)
        external
        view
        returns (uint256[] memory ids, address[] memory tokens, Par[] memory pars, Wei[] memory weis)
    {
        ids = held[account.owner][account.number];
        (tokens, pars, weis) = (new address[](ids.length), new Par[](ids.length), new Wei[](ids.length));
        for (uint256 i = 0; i < ids.length; i++) {
            weis[i] = balances[account.owner][account.number][ids[i]];
            (tokens[i], pars[i]) = (markets[ids[i]].token, Par(weis[i].sign, uint128(weis[i].value)));
        }
    }

    function getAdjustedAccountValues(AccountInfo calldata account) external view returns (uint256 supply, uint256 borrow) {
        uint256[] memory ids = held[account.owner][account.number];
        for (uint256 i = 0; i < ids.length; i++) {
            Wei memory balance = balances[account.owner][account.number][ids[i]];
            uint256 value = balance.value * markets[ids[i]].price;
            if (balance.sign) supply += value;
            else borrow += value;
        }
    }

    function getMarginRatioForAccount(AccountInfo calldata) external pure returns (uint256) {
        return RATIO;
    }

    function getMarginRatio() external pure returns (uint256) {
        return RATIO;
    }

    function getMarketInterestRate(uint256 marketId) external view returns (uint256) {
        return markets[marketId].rate;
    }
}
