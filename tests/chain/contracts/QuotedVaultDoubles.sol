// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for vaults whose share is a token beside them, or is quoted by another contract, which no package holds. Each has
// the views that its users rely on, and a rate that the test sets.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

// In the manner of Upshift's multi-asset vaults: leaving costs a fee, and more of one if it is at once.
contract RedemptionDouble {
    TokenDouble public immutable lpTokenAddress;
    TokenDouble public immutable asset;
    uint256 private immutable rate; // Smallest units of the asset for a whole share.

    constructor(TokenDouble share, TokenDouble asset_, uint256 rate_) {
        (lpTokenAddress, asset, rate) = (share, asset_, rate_);
    }

    function previewRedemption(uint256 shares, bool isInstant)
        external
        view
        returns (uint256 assetsAmount, uint256 assetsAfterFee)
    {
        assetsAmount = (shares * rate) / 10 ** lpTokenAddress.decimals();
        assetsAfterFee = assetsAmount - assetsAmount / (isInstant ? 50 : 200);
    }
}

// In the manner of Mellow's core vaults: a manager of shares, an oracle and a manager of fees stand beside the vault. Here
// one contract is all of them.
contract ReportsDouble {
    address public immutable shareManager = address(this);
    address public immutable oracle = address(this);
    address public immutable feeManager = address(this);
    string public symbol;
    address private immutable base;
    mapping(address => uint256) public activeSharesOf;
    mapping(address => uint256) public claimableSharesOf;
    uint224 private price;
    bool private suspicious;

    constructor(string memory symbol_, address base_) {
        (symbol, base) = (symbol_, base_);
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function mint(address account, uint256 active, uint256 claimable) external {
        (activeSharesOf[account], claimableSharesOf[account]) = (active, claimable);
    }

    function sharesOf(address account) external view returns (uint256) {
        return activeSharesOf[account] + claimableSharesOf[account];
    }

    function baseAsset(address vault) external view returns (address) {
        return vault == address(this) ? base : address(0);
    }

    // How many shares 10^18 smallest units of the base token buy.
    function report(uint224 price_, bool suspicious_) external {
        (price, suspicious) = (price_, suspicious_);
    }

    function getReport(address asset) external view returns (uint224, uint32, bool) {
        require(asset == base, "unsupported");
        return (price, uint32(block.timestamp), suspicious);
    }
}

// In the manner of Aera's: the vault is the share, and a calculator knows the price of its units.
contract UnitsDouble is TokenDouble {
    CalculatorDouble public immutable feeCalculator;

    constructor(string memory name, string memory symbol, CalculatorDouble calculator) TokenDouble(name, symbol, 18) {
        feeCalculator = calculator;
    }
}

contract CalculatorDouble {
    address public immutable NUMERAIRE;
    uint256 private immutable unitPrice;

    constructor(address numeraire, uint256 unitPrice_) {
        (NUMERAIRE, unitPrice) = (numeraire, unitPrice_);
    }

    function convertUnitsToNumeraire(address, uint256 unitsAmount) external view returns (uint256) {
        return (unitsAmount * unitPrice) / 1e18;
    }
}

// In the manner of ERC-7575: an entry for one token to a share that others may give out too.
contract EntryDouble {
    TokenDouble public immutable share;
    TokenDouble public immutable asset;
    uint256 private immutable rate;

    constructor(TokenDouble share_, TokenDouble asset_, uint256 rate_) {
        (share, asset, rate) = (share_, asset_, rate_);
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        return (shares * rate) / 10 ** share.decimals();
    }
}

// In the manner of Vesper's pools: shares have 18 decimals, whatever the token has.
contract PricedDouble is TokenDouble {
    TokenDouble public immutable token;
    uint256 public immutable pricePerShare;

    constructor(string memory name, string memory symbol, TokenDouble token_, uint256 price) TokenDouble(name, symbol, 18) {
        (token, pricePerShare) = (token_, price);
    }
}

// In the manner of Solv's oracles: a value by pool and day, and the last one on a day without.
contract NavOracleDouble {
    mapping(bytes32 => mapping(uint256 => uint256)) private navs;
    mapping(bytes32 => uint256) private latest;

    function setSubscribeNav(bytes32 pool, uint256 time, uint256 nav) external {
        uint256 day = (time / 86400) * 86400;
        navs[pool][day] = nav;
        if (day > latest[pool]) latest[pool] = day;
    }

    function getSubscribeNav(bytes32 pool, uint256 time) external view returns (uint256 nav, uint256 navTime) {
        navTime = (time / 86400) * 86400;
        nav = navs[pool][navTime];
        if (nav == 0) (nav, navTime) = (navs[pool][latest[pool]], latest[pool]);
    }
}

// In the manner of Arrakis' public meta vaults: shares burn for their part, cut to 18 decimals, of what a module holds. Here
// the vault is its own module, and a private vault is one without shares.
contract MetaVaultDouble is TokenDouble {
    TokenDouble public immutable token0;
    TokenDouble public immutable token1;

    constructor(string memory name, TokenDouble token0_, TokenDouble token1_) TokenDouble(name, name, 18) {
        (token0, token1) = (token0_, token1_);
    }

    function totalUnderlying() public view returns (uint256 amount0, uint256 amount1) {
        (amount0, amount1) = (token0.balanceOf(address(this)), token1.balanceOf(address(this)));
    }

    function burn(uint256 shares_, address receiver_) external returns (uint256 amount0, uint256 amount1) {
        uint256 proportion = (shares_ * 1e18) / totalSupply;
        balanceOf[msg.sender] -= shares_;
        totalSupply -= shares_;
        (amount0, amount1) = totalUnderlying();
        (amount0, amount1) = ((amount0 * proportion) / 1e18, (amount1 * proportion) / 1e18);
        token0.transfer(receiver_, amount0);
        token1.transfer(receiver_, amount1);
    }
}

// Its factory, and the NFTs of private vaults, whose numbers are the vaults' addresses.
contract MetaVaultFactoryDouble {
    address public immutable nft = address(this);
    address[] private publics;
    address[] private privates;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public ownerOf;

    function add(address vault) external {
        publics.push(vault);
    }

    function addPrivate(address vault, address owner) external {
        privates.push(vault);
        ownerOf[uint160(vault)] = owner;
        balanceOf[owner] += 1;
    }

    function numOfPublicVaults() external view returns (uint256) {
        return publics.length;
    }

    function numOfPrivateVaults() external view returns (uint256) {
        return privates.length;
    }

    function publicVaults(uint256 start, uint256 end) external view returns (address[] memory) {
        return slice(publics, start, end);
    }

    function privateVaults(uint256 start, uint256 end) external view returns (address[] memory) {
        return slice(privates, start, end);
    }

    function slice(address[] storage all, uint256 start, uint256 end) private view returns (address[] memory some) {
        require(start < end && end <= all.length, "no such places");
        some = new address[](end - start);
        for (uint256 i = start; i < end; i++) some[i - start] = all[i];
    }
}

// In the manner of ZEROBASE's: a ledger of what each account has put in of each token, and its rewards.
contract LedgerDouble {
    mapping(address => mapping(address => uint256)) private staked;
    mapping(address => mapping(address => uint256)) private rewards;

    function put(address user, address token, uint256 stake, uint256 reward) external {
        (staked[user][token], rewards[user][token]) = (stake, reward);
    }

    function getClaimableAssets(address user, address token) external view returns (uint256) {
        return staked[user][token] + rewards[user][token];
    }
}
