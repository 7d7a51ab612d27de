// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Solv's open funds, which no package holds: NFTs with a value (ERC-3525), a market that knows the pool of each
// kind, and redemptions that are closed at a value and repaid in part. The oracle is that of QuotedVaultDoubles.sol.
pragma solidity ^0.8.30;

import { NavOracleDouble } from "./QuotedVaultDoubles.sol";
import { TokenDouble } from "./Tokens.sol";

contract SftDouble {
    struct Sft {
        address owner;
        uint256 slot;
        uint256 value;
    }

    uint8 public constant valueDecimals = 18;
    mapping(uint256 => Sft) internal sfts;
    mapping(address => uint256[]) internal owned;
    uint256 private last;

    function mint(address to, uint256 slot, uint256 value) external {
        sfts[++last] = Sft(to, slot, value);
        owned[to].push(last);
    }

    function balanceOf(address owner) external view returns (uint256) {
        return owned[owner].length;
    }

    function balanceOf(uint256 tokenId) public view returns (uint256) {
        return sfts[tokenId].value;
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        return owned[owner][index];
    }

    function slotOf(uint256 tokenId) external view returns (uint256) {
        require(sfts[tokenId].owner != address(0), "invalid token ID");
        return sfts[tokenId].slot;
    }
}

contract FundMarketDouble {
    struct PoolSFTInfo {
        address openFundShare;
        address openFundRedemption;
        uint256 openFundShareSlot;
        uint256 latestRedeemSlot;
    }

    struct PoolFeeInfo {
        uint16 carryRate;
        address carryCollector;
        uint64 latestProtocolFeeSettleTime;
    }

    struct ManagerInfo {
        address poolManager;
        address subscribeNavManager;
        address redeemNavManager;
    }

    struct SubscribeLimitInfo {
        uint256 hardCap;
        uint256 subscribeMin;
        uint256 subscribeMax;
        uint64 fundraisingStartTime;
        uint64 fundraisingEndTime;
    }

    struct PoolInfo {
        PoolSFTInfo poolSFTInfo;
        PoolFeeInfo poolFeeInfo;
        ManagerInfo managerInfo;
        SubscribeLimitInfo subscribeLimitInfo;
        address vault;
        address currency;
        address navOracle;
        uint64 valueDate;
        bool permissionless;
        uint256 fundraisingAmount;
    }

    mapping(bytes32 => PoolInfo) public poolInfos;

    function createPool(address share, uint256 slot, address currency, NavOracleDouble oracle) external {
        PoolInfo storage pool = poolInfos[keccak256(abi.encode(share, slot))];
        (pool.poolSFTInfo.openFundShare, pool.poolSFTInfo.openFundShareSlot) = (share, slot);
        (pool.currency, pool.navOracle, pool.vault) = (currency, address(oracle), msg.sender);
    }
}

contract FundRedemptionDouble is SftDouble {
    FundConcreteDouble public immutable concrete = new FundConcreteDouble(this);

    function claimTo(address to, uint256 tokenId, TokenDouble currency, uint256 claimValue) external {
        require(claimValue > 0, "OFRD: claim value is zero");
        require(sfts[tokenId].owner == msg.sender, "OFRD: caller is not owner nor approved");
        require(claimValue <= concrete.claimableValue(tokenId), "OFRD: over claim");
        uint256 slot = sfts[tokenId].slot;
        uint256 amount = concrete.claim(slot, address(currency), claimValue);
        sfts[tokenId].value -= claimValue;
        currency.transfer(to, amount - (amount * concrete.getRedemptionFeeRate(slot)) / 1e18);
    }
}

contract FundConcreteDouble {
    struct RedeemInfo {
        bytes32 poolId;
        address currency;
        uint256 createTime;
        uint256 nav;
    }

    FundRedemptionDouble public immutable delegate;
    mapping(uint256 => RedeemInfo) private infos;
    mapping(uint256 => uint256) private balances;
    mapping(uint256 => uint256) private feeRates;

    constructor(FundRedemptionDouble delegate_) {
        delegate = delegate_;
    }

    function open(uint256 slot, bytes32 poolId, address currency, uint256 feeRate) external {
        (infos[slot], feeRates[slot]) = (RedeemInfo(poolId, currency, block.timestamp, 0), feeRate);
    }

    function close(uint256 slot, uint256 nav) external {
        infos[slot].nav = nav;
    }

    // The currency has to be with the delegate already.
    function repay(uint256 slot, uint256 amount) external {
        balances[slot] += amount;
    }

    function getRedeemInfo(uint256 slot) external view returns (RedeemInfo memory) {
        return infos[slot];
    }

    function getRedemptionFeeRate(uint256 slot) external view returns (uint256) {
        return feeRates[slot];
    }

    function claimableValue(uint256 tokenId) external view returns (uint256) {
        uint256 slot = delegate.slotOf(tokenId);
        uint256 nav = infos[slot].nav;
        if (nav == 0) return 0;
        uint256 value = delegate.balanceOf(tokenId);
        return (value * nav) / 1e18 < balances[slot] ? value : (balances[slot] * 1e18) / nav;
    }

    function claim(uint256 slot, address currency, uint256 claimValue) external returns (uint256 amount) {
        require(msg.sender == address(delegate) && currency == infos[slot].currency, "FMR: invalid currency");
        amount = (claimValue * infos[slot].nav) / 1e18;
        balances[slot] -= amount;
    }
}
