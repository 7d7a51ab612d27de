// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Liquity v2, which no package holds: views, claims and roundings are those of the real contracts as long as no
// deposit is used up (one scale). Liquidations, redemptions, batches of troves and recovery are left out; who may call what
// is not checked, since the build script is the only author.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract CollateralRegistryDouble {
    TokenCore public boldToken;
    TokenCore[] private tokens;
    BranchManagerDouble[] private managers;

    constructor(TokenCore boldToken_) {
        boldToken = boldToken_;
    }

    function add(TokenCore token, BranchManagerDouble manager) external {
        tokens.push(token);
        managers.push(manager);
    }

    function totalCollaterals() external view returns (uint256) {
        return tokens.length;
    }

    function getToken(uint256 index) external view returns (TokenCore) {
        return tokens[index];
    }

    function getTroveManager(uint256 index) external view returns (BranchManagerDouble) {
        return managers[index];
    }
}

contract TroveNFTDouble {
    mapping(uint256 => address) private owners;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 id) external {
        owners[id] = to;
        balanceOf[to]++;
    }

    function burn(uint256 id) external {
        balanceOf[owners[id]]--;
        delete owners[id];
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(from == msg.sender && owners[id] == from);
        owners[id] = to;
        balanceOf[from]--;
        balanceOf[to]++;
    }

    function ownerOf(uint256 id) external view returns (address owner) {
        owner = owners[id];
        require(owner != address(0), "ERC721: invalid token ID");
    }
}

contract BranchManagerDouble {
    struct LatestTroveData {
        uint256 entireDebt;
        uint256 entireColl;
        uint256 redistBoldDebtGain;
        uint256 redistCollGain;
        uint256 accruedInterest;
        uint256 recordedDebt;
        uint256 annualInterestRate;
        uint256 weightedRecordedDebt;
        uint256 accruedBatchManagementFee;
        uint256 lastInterestRateAdjTime;
    }

    struct Trove {
        uint256 debt;
        uint256 coll;
        uint256 rate;
        uint256 since;
        uint256 place;
    }

    TroveNFTDouble public troveNFT;
    address public stabilityPool;
    address public borrowerOperations;
    uint256[] private ids;
    mapping(uint256 => Trove) private troves;

    constructor(TroveNFTDouble nft, address pool, address operations) {
        (troveNFT, stabilityPool, borrowerOperations) = (nft, pool, operations);
    }

    function open(uint256 id, uint256 debt, uint256 coll, uint256 rate) external {
        troves[id] = Trove(debt, coll, rate, block.timestamp, ids.length);
        ids.push(id);
        troveNFT.mint(msg.sender, id);
    }

    function close(uint256 id) external {
        uint256 last = ids[ids.length - 1];
        ids[troves[id].place] = last;
        troves[last].place = troves[id].place;
        ids.pop();
        delete troves[id];
        troveNFT.burn(id);
    }

    function getTroveIdsCount() external view returns (uint256) {
        return ids.length;
    }

    function getTroveFromTroveIdsArray(uint256 index) external view returns (uint256) {
        return ids[index];
    }

    function getLatestTroveData(uint256 id) external view returns (LatestTroveData memory data) {
        Trove memory trove = troves[id];
        data.recordedDebt = trove.debt;
        data.annualInterestRate = trove.rate;
        data.weightedRecordedDebt = trove.debt * trove.rate;
        data.accruedInterest = (data.weightedRecordedDebt * (block.timestamp - trove.since)) / 365 days / 1e18;
        data.entireDebt = trove.debt + data.accruedInterest;
        data.entireColl = trove.coll;
        data.lastInterestRateAdjTime = trove.since;
    }
}

contract BranchFeedDouble {
    uint256 public lastGoodPrice;
    uint256 private immutable price;

    constructor(uint256 price_) {
        price = price_;
    }

    function fetchPrice() external returns (uint256, bool) {
        lastGoodPrice = price;
        return (price, false);
    }
}

// The interest that the pool gets grows by a rate that is set.
contract BoldPoolDouble {
    struct Snapshot {
        uint256 S;
        uint256 P;
        uint256 B;
    }

    TokenCore private immutable bold;
    TokenCore private immutable coll;
    uint256 public P = 1e36;
    uint256 public getTotalBoldDeposits;
    uint256 private S;
    uint256 private B;
    uint256 private rate;
    uint256 private minted;
    mapping(address => uint256) public deposits;
    mapping(address => uint256) public stashedColl;
    mapping(address => Snapshot) private snapshots;

    constructor(TokenCore bold_, TokenCore coll_) {
        (bold, coll) = (bold_, coll_);
    }

    function setRate(uint256 rate_) external {
        _mintInterest();
        rate = rate_;
    }

    function provideToSP(uint256 amount, bool doClaim) external {
        _mintInterest();
        bold.transferFrom(msg.sender, address(this), amount);
        _move(getCompoundedBoldDeposit(msg.sender) + amount, doClaim);
        getTotalBoldDeposits += amount;
    }

    function withdrawFromSP(uint256 amount, bool doClaim) external {
        require(deposits[msg.sender] > 0, "StabilityPool: User must have a non-zero deposit");
        _mintInterest();
        uint256 kept = getCompoundedBoldDeposit(msg.sender);
        uint256 withdrawn = amount < kept ? amount : kept;
        _move(kept - withdrawn, doClaim);
        getTotalBoldDeposits -= withdrawn;
        if (withdrawn > 0) bold.transfer(msg.sender, withdrawn);
        require(getTotalBoldDeposits >= 1e18, "Withdrawal must leave totalBoldDeposits >= MIN_BOLD_IN_SP");
    }

    function claimAllCollGains() external {
        require(deposits[msg.sender] == 0, "StabilityPool: User must have no deposit");
        uint256 amount = stashedColl[msg.sender];
        require(amount > 0, "StabilityPool: Amount must be non-zero");
        stashedColl[msg.sender] = 0;
        coll.transfer(msg.sender, amount);
    }

    // What a liquidation does: debt is paid off with deposits, which get the collateral.
    function offset(uint256 debt, uint256 amount) external {
        coll.mint(address(this), amount);
        S += (P * amount) / getTotalBoldDeposits;
        P = (P * (getTotalBoldDeposits - debt)) / getTotalBoldDeposits;
        getTotalBoldDeposits -= debt;
    }

    function getCompoundedBoldDeposit(address depositor) public view returns (uint256) {
        return deposits[depositor] == 0 ? 0 : (deposits[depositor] * P) / snapshots[depositor].P;
    }

    function getDepositorCollGain(address depositor) public view returns (uint256) {
        Snapshot memory at = snapshots[depositor];
        return deposits[depositor] == 0 ? 0 : (deposits[depositor] * (S - at.S)) / at.P;
    }

    function getDepositorYieldGainWithPending(address depositor) external view returns (uint256) {
        if (deposits[depositor] == 0 || getTotalBoldDeposits < 1e18) return 0;
        return _yield(depositor, B + (P * rate * (block.timestamp - minted)) / getTotalBoldDeposits);
    }

    function _yield(address depositor, uint256 sum) private view returns (uint256) {
        Snapshot memory at = snapshots[depositor];
        return deposits[depositor] == 0 ? 0 : (deposits[depositor] * (sum - at.B)) / at.P;
    }

    function _mintInterest() private {
        uint256 interest = rate * (block.timestamp - minted);
        minted = block.timestamp;
        if (interest == 0) return;
        bold.mint(address(this), interest);
        B += (P * interest) / getTotalBoldDeposits;
    }

    function _move(uint256 kept, bool doClaim) private {
        (uint256 yield_, uint256 gained) = (_yield(msg.sender, B), getDepositorCollGain(msg.sender) + stashedColl[msg.sender]);
        deposits[msg.sender] = doClaim ? kept : kept + yield_;
        if (!doClaim) getTotalBoldDeposits += yield_;
        stashedColl[msg.sender] = doClaim ? 0 : gained;
        snapshots[msg.sender] = Snapshot(S, P, B);
        if (doClaim && yield_ > 0) bold.transfer(msg.sender, yield_);
        if (doClaim && gained > 0) coll.transfer(msg.sender, gained);
    }
}

contract BranchSurplusDouble {
    TokenCore private immutable coll;
    mapping(address => uint256) public getCollateral;

    constructor(TokenCore coll_) {
        coll = coll_;
    }

    function accountSurplus(address account, uint256 amount) external {
        coll.mint(address(this), amount);
        getCollateral[account] += amount;
    }

    function claimColl(address account) external {
        uint256 amount = getCollateral[account];
        require(amount > 0, "CollSurplusPool: No collateral available to claim");
        getCollateral[account] = 0;
        coll.transfer(account, amount);
    }
}

contract BranchOperationsDouble {
    uint256 public constant MCR = 1.1e18;
    BranchSurplusDouble private immutable surplus;

    constructor(BranchSurplusDouble surplus_) {
        surplus = surplus_;
    }

    function claimCollateral() external {
        surplus.claimColl(msg.sender);
    }
}
