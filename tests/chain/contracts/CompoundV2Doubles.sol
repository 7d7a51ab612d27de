// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for a comptroller of Compound v2, its markets and its oracle, and for one of Venus' pools with the distributors
// of its rewards; no package holds their bytecode. Indexes, views, claims and roundings are those of the real ones; time
// is counted in seconds, as forks of it do. The borrow rate is set and does not depend on use, and limits, liquidation,
// redemption and reserves are left out.
pragma solidity ^0.8.30;

import { TokenCore, TokenDouble } from "./Tokens.sol";

contract ComptrollerDouble {
    struct RewardState {
        uint224 index;
        uint32 block;
    }

    uint256 private constant INITIAL_INDEX = 1e36;

    address private immutable comp;
    address[] private listed;
    mapping(address => bool) private unlisted;
    mapping(address => uint256) private factors;
    mapping(address => address[]) private entered;
    mapping(address => uint256) public getUnderlyingPrice;
    mapping(address => uint256) public compAccrued;
    mapping(address => uint256) public compSupplySpeeds;
    mapping(address => uint256) public compBorrowSpeeds;
    mapping(address => RewardState) public compSupplyState;
    mapping(address => RewardState) public compBorrowState;
    mapping(address => mapping(address => uint256)) public compSupplierIndex;
    mapping(address => mapping(address => uint256)) public compBorrowerIndex;

    constructor(address comp_) {
        comp = comp_;
    }

    function getCompAddress() external view returns (address) {
        return comp;
    }

    function support(address market, uint256 factor, uint256 price, uint256 supplySpeed, uint256 borrowSpeed) external {
        listed.push(market);
        (factors[market], getUnderlyingPrice[market]) = (factor, price);
        (compSupplySpeeds[market], compBorrowSpeeds[market]) = (supplySpeed, borrowSpeed);
        compSupplyState[market] = RewardState(uint224(INITIAL_INDEX), uint32(block.timestamp));
        compBorrowState[market] = RewardState(uint224(INITIAL_INDEX), uint32(block.timestamp));
    }

    function oracle() external view returns (address) {
        return address(this);
    }

    function getAllMarkets() external view returns (address[] memory) {
        return listed;
    }

    function markets(address market) external view returns (bool isListed, uint256 collateralFactorMantissa, bool isComped) {
        for (uint256 i = 0; i < listed.length; i++) if (listed[i] == market) isListed = !unlisted[market];
        (collateralFactorMantissa, isComped) = (factors[market], compSupplySpeeds[market] > 0);
    }

    // `getAllMarkets` keeps it, as it does in the real ones.
    function unlistMarket(address market) external {
        unlisted[market] = true;
    }

    function getAssetsIn(address account) external view returns (address[] memory) {
        return entered[account];
    }

    function enterMarkets(address[] calldata chosen) external {
        for (uint256 i = 0; i < chosen.length; i++) entered[msg.sender].push(chosen[i]);
    }

    function getAccountLiquidity(address account) external view returns (uint256 error, uint256 liquidity, uint256 shortfall) {
        uint256 collateral;
        uint256 debts;
        for (uint256 i = 0; i < entered[account].length; i++) {
            MarketDouble market = MarketDouble(payable(entered[account][i]));
            uint256 price = getUnderlyingPrice[address(market)];
            uint256 toDenom = (((factors[address(market)] * market.exchangeRateStored()) / 1e18) * price) / 1e18;
            collateral += (toDenom * market.balanceOf(account)) / 1e18;
            debts += (price * market.borrowBalanceStored(account)) / 1e18;
        }
        if (collateral > debts) liquidity = collateral - debts;
        else shortfall = debts - collateral;
    }

    function claimComp(address holder, address[] memory chosen) external {
        for (uint256 i = 0; i < chosen.length; i++) {
            distributeBorrowerComp(chosen[i], holder);
            distributeSupplierComp(chosen[i], holder);
        }
        uint256 owed = compAccrued[holder];
        if (owed > 0 && owed <= TokenCore(comp).balanceOf(address(this))) {
            compAccrued[holder] = 0;
            TokenCore(comp).transfer(holder, owed);
        }
    }

    function distributeSupplierComp(address market, address supplier) public virtual {
        MarketDouble its = MarketDouble(payable(market));
        RewardState storage state = compSupplyState[market];
        uint256 accrued = (block.timestamp - state.block) * compSupplySpeeds[market];
        uint256 supply = its.totalSupply();
        if (supply > 0) state.index += uint224((accrued * 1e36) / supply);
        state.block = uint32(block.timestamp);
        uint256 index = compSupplierIndex[market][supplier];
        if (index == 0 && state.index >= INITIAL_INDEX) index = INITIAL_INDEX;
        compSupplierIndex[market][supplier] = state.index;
        compAccrued[supplier] += (its.balanceOf(supplier) * (state.index - index)) / 1e36;
    }

    function distributeBorrowerComp(address market, address borrower) public virtual {
        MarketDouble its = MarketDouble(payable(market));
        RewardState storage state = compBorrowState[market];
        uint256 accrued = (block.timestamp - state.block) * compBorrowSpeeds[market];
        uint256 borrows = (its.totalBorrows() * 1e18) / its.borrowIndex();
        if (borrows > 0) state.index += uint224((accrued * 1e36) / borrows);
        state.block = uint32(block.timestamp);
        uint256 index = compBorrowerIndex[market][borrower];
        if (index == 0 && state.index >= INITIAL_INDEX) index = INITIAL_INDEX;
        compBorrowerIndex[market][borrower] = state.index;
        uint256 principal = (its.borrowBalanceStored(borrower) * 1e18) / its.borrowIndex();
        compAccrued[borrower] += (principal * (state.index - index)) / 1e36;
    }
}

// A market of a token, or of the native one where the token is zero.
contract MarketDouble {
    ComptrollerDouble private immutable comptroller;
    address private immutable token;
    uint256 private immutable initialRate;
    uint256 private immutable borrowRate;

    uint256 public totalSupply;
    uint256 public totalBorrows;
    uint256 public borrowIndex = 1e18;
    uint256 private accruedAt = block.timestamp;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) private principals;
    mapping(address => uint256) private interestIndexes;

    constructor(ComptrollerDouble comptroller_, address token_, uint256 initialRate_, uint256 borrowRate_) {
        (comptroller, token, initialRate, borrowRate) = (comptroller_, token_, initialRate_, borrowRate_);
    }

    // As the market of the native token has it: any call that is no function is a deposit.
    fallback() external payable {
        require(token == address(0));
    }

    function underlying() external view returns (address) {
        require(token != address(0));
        return token;
    }

    function cash() private view returns (uint256) {
        return token == address(0) ? address(this).balance : TokenCore(token).balanceOf(address(this));
    }

    function exchangeRateStored() public view returns (uint256) {
        return totalSupply == 0 ? initialRate : ((cash() + totalBorrows) * 1e18) / totalSupply;
    }

    function borrowBalanceStored(address account) public view returns (uint256) {
        return principals[account] == 0 ? 0 : (principals[account] * borrowIndex) / interestIndexes[account];
    }

    function accrueInterest() public {
        uint256 factor = borrowRate * (block.timestamp - accruedAt);
        totalBorrows += (factor * totalBorrows) / 1e18;
        borrowIndex += (factor * borrowIndex) / 1e18;
        accruedAt = block.timestamp;
    }

    function balanceOfUnderlying(address account) external returns (uint256) {
        accrueInterest();
        return (exchangeRateStored() * balanceOf[account]) / 1e18;
    }

    function borrowBalanceCurrent(address account) external returns (uint256) {
        accrueInterest();
        return borrowBalanceStored(account);
    }

    function mint(uint256 amount) external {
        accrueInterest();
        comptroller.distributeSupplierComp(address(this), msg.sender);
        credit(amount, exchangeRateStored());
        TokenCore(token).transferFrom(msg.sender, address(this), amount);
    }

    function mintNative() external payable {
        credit(msg.value, totalSupply == 0 ? initialRate : ((cash() - msg.value) * 1e18) / totalSupply);
    }

    function credit(uint256 amount, uint256 rate) private {
        uint256 shares = (amount * 1e18) / rate;
        totalSupply += shares;
        balanceOf[msg.sender] += shares;
    }

    function borrow(uint256 amount) external {
        accrueInterest();
        comptroller.distributeBorrowerComp(address(this), msg.sender);
        principals[msg.sender] = borrowBalanceStored(msg.sender) + amount;
        interestIndexes[msg.sender] = borrowIndex;
        totalBorrows += amount;
        TokenCore(token).transfer(msg.sender, amount);
    }
}

// A comptroller of one of Venus' pools, whose rewards distributors keep.
contract PoolComptrollerDouble is ComptrollerDouble(address(0)) {
    PoolRewardsDouble[] private distributors;

    function addRewardsDistributor(PoolRewardsDouble distributor) external {
        distributors.push(distributor);
    }

    function getRewardDistributors() external view returns (PoolRewardsDouble[] memory) {
        return distributors;
    }

    function distributeSupplierComp(address market, address supplier) public override {
        for (uint256 i = 0; i < distributors.length; i++) distributors[i].distributeSupplierRewardToken(market, supplier);
    }

    function distributeBorrowerComp(address market, address borrower) public override {
        for (uint256 i = 0; i < distributors.length; i++) distributors[i].distributeBorrowerRewardToken(market, borrower);
    }
}

// Counts seconds or, as the first of the real ones, blocks; those have neither `isTimeBased` nor the states behind it.
contract PoolRewardsDouble {
    struct State {
        uint224 index;
        uint256 at;
        uint256 end;
    }

    uint224 private constant INITIAL_INDEX = 1e36;

    PoolComptrollerDouble private immutable comptroller;
    address public immutable rewardToken;
    bool private immutable counted;
    mapping(address => State) private supplyStates;
    mapping(address => State) private borrowStates;
    mapping(address => uint256) public rewardTokenAccrued;
    mapping(address => uint256) public rewardTokenSupplySpeeds;
    mapping(address => uint256) public rewardTokenBorrowSpeeds;
    mapping(address => mapping(address => uint256)) public rewardTokenSupplierIndex;
    mapping(address => mapping(address => uint256)) public rewardTokenBorrowerIndex;

    constructor(PoolComptrollerDouble comptroller_, address rewardToken_, bool isTimeBased_) {
        (comptroller, rewardToken, counted) = (comptroller_, rewardToken_, isTimeBased_);
    }

    modifier onlyTimeBased() {
        require(counted);
        _;
    }

    function isTimeBased() external view onlyTimeBased returns (bool) {
        return true;
    }

    function rewardTokenSupplyState(address market) external view returns (uint224, uint32, uint32) {
        return byBlock(supplyStates[market]);
    }

    function rewardTokenBorrowState(address market) external view returns (uint224, uint32, uint32) {
        return byBlock(borrowStates[market]);
    }

    function rewardTokenSupplyStateTimeBased(address market) external view onlyTimeBased returns (State memory) {
        return supplyStates[market];
    }

    function rewardTokenBorrowStateTimeBased(address market) external view onlyTimeBased returns (State memory) {
        return borrowStates[market];
    }

    function byBlock(State memory state) private view returns (uint224, uint32, uint32) {
        if (!counted) return (state.index, uint32(state.at), uint32(state.end));
    }

    function begin(address market, uint256 supplySpeed, uint256 borrowSpeed, uint256 length) external {
        (rewardTokenSupplySpeeds[market], rewardTokenBorrowSpeeds[market]) = (supplySpeed, borrowSpeed);
        uint256 end = length == 0 ? 0 : slot() + length;
        supplyStates[market] = borrowStates[market] = State(INITIAL_INDEX, slot(), end);
    }

    function claimRewardToken(address holder, address[] memory markets) external {
        for (uint256 i = 0; i < markets.length; i++) {
            (bool isListed,,) = comptroller.markets(markets[i]);
            require(isListed, "market must be listed");
            distributeBorrowerRewardToken(markets[i], holder);
            distributeSupplierRewardToken(markets[i], holder);
        }
        uint256 owed = rewardTokenAccrued[holder];
        if (owed > 0 && owed <= TokenCore(rewardToken).balanceOf(address(this))) {
            rewardTokenAccrued[holder] = 0;
            TokenCore(rewardToken).transfer(holder, owed);
        }
    }

    function distributeSupplierRewardToken(address market, address supplier) public {
        MarketDouble its = MarketDouble(payable(market));
        uint224 now_ = update(supplyStates[market], rewardTokenSupplySpeeds[market], its.totalSupply());
        uint256 index = rewardTokenSupplierIndex[market][supplier];
        if (index == 0 && now_ >= INITIAL_INDEX) index = INITIAL_INDEX;
        rewardTokenSupplierIndex[market][supplier] = now_;
        rewardTokenAccrued[supplier] += (its.balanceOf(supplier) * (now_ - index)) / 1e36;
    }

    function distributeBorrowerRewardToken(address market, address borrower) public {
        MarketDouble its = MarketDouble(payable(market));
        uint256 marketIndex = its.borrowIndex();
        uint224 now_ = update(borrowStates[market], rewardTokenBorrowSpeeds[market], (its.totalBorrows() * 1e18) / marketIndex);
        uint256 index = rewardTokenBorrowerIndex[market][borrower];
        if (index == 0 && now_ >= INITIAL_INDEX) index = INITIAL_INDEX;
        rewardTokenBorrowerIndex[market][borrower] = now_;
        uint256 principal = (its.borrowBalanceStored(borrower) * 1e18) / marketIndex;
        rewardTokenAccrued[borrower] += (principal * (now_ - index)) / 1e36;
    }

    function update(State storage state, uint256 speed, uint256 total) private returns (uint224) {
        uint256 last = state.end > 0 && slot() > state.end ? state.end : slot();
        if (total > 0) state.index += uint224(((last - state.at) * speed * 1e36) / total);
        state.at = last;
        return state.index;
    }

    function slot() private view returns (uint256) {
        return counted ? block.timestamp : block.number;
    }
}
