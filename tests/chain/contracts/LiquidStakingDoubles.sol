// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for liquid staking tokens and two ways out of them, written from the documented interfaces: a token that says what
// it stands for in the three ways that issuers have, Swell's NFTs of exits, and Renzo's queue with a list of requests for
// each account. Rates are set, roles and pauses are left out, and an exit takes nothing but its record.
pragma solidity ^0.8.30;

import { TokenCore, TokenDouble } from "./Tokens.sol";

contract LiquidTokenDouble is TokenDouble {
    uint256 public rate;

    constructor(string memory name_, string memory symbol_, uint256 rate_) TokenDouble(name_, symbol_, 18) {
        rate = rate_;
    }

    function exchangeRate() external view returns (uint256) {
        return rate;
    }

    function ratio() external view returns (uint256) {
        return 1e36 / rate;
    }

    function getEthValue(uint256 amount) external view returns (uint256) {
        return (amount * rate) / 1e18;
    }
}

contract SwExitDouble {
    struct WithdrawRequest {
        uint256 amount;
        uint256 lastTokenIdProcessed;
        uint256 rateWhenCreated;
    }

    mapping(uint256 => WithdrawRequest) public withdrawalRequests;
    mapping(uint256 => uint256) private rates;
    mapping(address => uint256[]) private owned;
    uint256 private lastId;

    function createWithdrawRequest(uint256 amount, uint256 rateWhenCreated) external {
        withdrawalRequests[++lastId] = WithdrawRequest(amount, 0, rateWhenCreated);
        owned[msg.sender].push(lastId);
    }

    function processWithdrawal(uint256 id, uint256 rate) external {
        rates[id] = rate;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return owned[owner].length;
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        return owned[owner][index];
    }

    function getProcessedRateForTokenId(uint256 id) public view returns (bool, uint256) {
        return (rates[id] > 0, rates[id]);
    }

    function finalizeWithdrawal(uint256 id) external {
        uint256[] storage ids = owned[msg.sender];
        for (uint256 i = 0; i < ids.length; i++) {
            if (ids[i] != id) continue;
            (bool isProcessed, uint256 rate) = getProcessedRateForTokenId(id);
            require(isProcessed, "WithdrawalRequestNotProcessed");
            WithdrawRequest storage request = withdrawalRequests[id];
            uint256 lower = rate < request.rateWhenCreated ? rate : request.rateWhenCreated;
            ids[i] = ids[ids.length - 1];
            ids.pop();
            (bool isSent,) = msg.sender.call{ value: (request.amount * lower) / 1e18 }("");
            require(isSent);
            return;
        }
        revert("WithdrawalRequestFinalizationOnlyAllowedForNFTOwner");
    }
}

contract RequestQueueDouble {
    struct WithdrawRequest {
        address collateralToken;
        uint256 withdrawRequestID;
        uint256 amountToRedeem;
        uint256 ezETHLocked;
        uint256 createdAt;
    }

    address private constant IS_NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    uint256 public coolDownPeriod;
    uint256 private rate;
    uint256 private nonce;
    mapping(address => WithdrawRequest[]) public withdrawRequests;

    constructor(uint256 period, uint256 rate_) {
        coolDownPeriod = period;
        rate = rate_;
    }

    function setRate(uint256 rate_) external {
        rate = rate_;
    }

    function withdraw(uint256 amount, address assetOut) external {
        (, uint256 redeemed) = calculateAmountToRedeem(amount, assetOut);
        withdrawRequests[msg.sender].push(WithdrawRequest(assetOut, ++nonce, redeemed, amount, block.timestamp));
    }

    function getOutstandingWithdrawRequests(address user) external view returns (uint256) {
        return withdrawRequests[user].length;
    }

    // All assets are worth one ether here.
    function calculateAmountToRedeem(uint256 amount, address)
        public
        view
        returns (uint256[][] memory tvls, uint256 redeemed)
    {
        return (new uint256[][](1), (amount * rate) / 1e18);
    }

    function claim(uint256 index, address user) external {
        WithdrawRequest[] storage requests = withdrawRequests[user];
        require(index < requests.length, "InvalidWithdrawIndex");
        WithdrawRequest memory request = requests[index];
        require(block.timestamp - request.createdAt >= coolDownPeriod, "EarlyClaim");
        (, uint256 amount) = calculateAmountToRedeem(request.ezETHLocked, request.collateralToken);
        if (request.amountToRedeem < amount) amount = request.amountToRedeem;
        requests[index] = requests[requests.length - 1];
        requests.pop();
        if (request.collateralToken != IS_NATIVE) {
            TokenCore(request.collateralToken).transfer(user, amount);
            return;
        }
        (bool isSent,) = user.call{ value: amount }("");
        require(isSent, "TransferFailed");
    }
}
