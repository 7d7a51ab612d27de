// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for the ways out of liquid staking tokens that keep a list of requests for each account: Lista's, Stader's, Kelp's and
// Benqi's, written from their sources. What a request pays is set, requests take nothing but their record, and roles, pauses,
// minima and delays in blocks are left out.
pragma solidity ^0.8.30;

import { TokenCore, TokenDouble } from "./Tokens.sol";

address constant IS_NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

function send(address to, uint256 amount) {
    (bool isSent,) = to.call{ value: amount }("");
    require(isSent, "TransferFailed");
}

contract ListaStakeManagerDouble {
    struct WithdrawalRequest {
        uint256 uuid;
        uint256 amountInSnBnb;
        uint256 startTime;
    }

    uint256 private requestUUID;
    uint256 private nextConfirmedRequestUUID;
    mapping(uint256 => uint256) private amounts;
    mapping(address => WithdrawalRequest[]) private requests;

    function requestWithdraw(uint256 amountInSnBnb, uint256 amount) external {
        amounts[++requestUUID] = amount;
        requests[msg.sender].push(WithdrawalRequest(requestUUID, amountInSnBnb, block.timestamp));
    }

    function confirm(uint256 next) external {
        nextConfirmedRequestUUID = next;
    }

    function getUserWithdrawalRequests(address user) external view returns (WithdrawalRequest[] memory) {
        return requests[user];
    }

    function getUserRequestStatus(address user, uint256 index) external view returns (bool, uint256) {
        require(index < requests[user].length, "Invalid index");
        uint256 uuid = requests[user][index].uuid;
        return (uuid < nextConfirmedRequestUUID, amounts[uuid]);
    }

    function claimWithdraw(uint256 index) external {
        WithdrawalRequest[] storage its = requests[msg.sender];
        require(index < its.length, "Invalid index");
        uint256 uuid = its[index].uuid;
        require(uuid < nextConfirmedRequestUUID, "UnclaimableRequest");
        its[index] = its[its.length - 1];
        its.pop();
        send(msg.sender, amounts[uuid]);
    }
}

contract UserWithdrawalManagerDouble {
    struct UserWithdrawInfo {
        address payable owner;
        uint256 ethXAmount;
        uint256 ethExpected;
        uint256 ethFinalized;
        uint256 requestBlock;
    }

    uint256 public nextRequestIdToFinalize = 1;
    uint256 public nextRequestId = 1;
    mapping(uint256 => UserWithdrawInfo) public userWithdrawRequests;
    mapping(address => uint256[]) private ids;

    function requestWithdraw(uint256 ethXAmount, uint256 ethExpected) external {
        userWithdrawRequests[nextRequestId] =
            UserWithdrawInfo(payable(msg.sender), ethXAmount, ethExpected, 0, block.number);
        ids[msg.sender].push(nextRequestId++);
    }

    function finalize(uint256 ethFinalized) external {
        userWithdrawRequests[nextRequestIdToFinalize++].ethFinalized = ethFinalized;
    }

    function getRequestIdsByUser(address owner) external view returns (uint256[] memory) {
        return ids[owner];
    }

    function claim(uint256 id) external {
        require(id < nextRequestIdToFinalize, "requestIdNotFinalized");
        UserWithdrawInfo memory request = userWithdrawRequests[id];
        require(msg.sender == request.owner, "CallerNotAuthorizedToRedeem");
        require(request.ethExpected > 0, "RequestAlreadyRedeemed");
        delete userWithdrawRequests[id];
        uint256[] storage its = ids[request.owner];
        for (uint256 i = 0; i < its.length; i++) {
            if (its[i] != id) continue;
            its[i] = its[its.length - 1];
            its.pop();
            break;
        }
        send(request.owner, request.ethFinalized);
    }
}

contract LRTConfigDouble {
    address[] private assets;

    constructor(address[] memory assets_) {
        assets = assets_;
    }

    function getSupportedAssetList() external view returns (address[] memory) {
        return assets;
    }
}

contract LRTWithdrawalManagerDouble {
    struct WithdrawalRequest {
        uint256 rsETHUnstaked;
        uint256 expectedAssetAmount;
        uint256 withdrawalStartBlock;
    }

    struct Uint256Deque {
        uint128 begin;
        uint128 end;
        mapping(uint128 => uint256) data;
    }

    LRTConfigDouble public lrtConfig;
    mapping(address => uint256) public nextUnusedNonce;
    mapping(address => uint256) public nextLockedNonce;
    mapping(bytes32 => WithdrawalRequest) public withdrawalRequests;
    mapping(address => mapping(address => Uint256Deque)) public userAssociatedNonces;

    constructor(LRTConfigDouble config) {
        lrtConfig = config;
    }

    function getRequestId(address asset, uint256 nonce) public pure returns (bytes32) {
        return keccak256(abi.encodePacked(asset, nonce));
    }

    function initiateWithdrawal(address asset, uint256 rsETHUnstaked, uint256 expected) external {
        uint256 nonce = nextUnusedNonce[asset]++;
        withdrawalRequests[getRequestId(asset, nonce)] = WithdrawalRequest(rsETHUnstaked, expected, block.number);
        Uint256Deque storage its = userAssociatedNonces[asset][msg.sender];
        its.data[its.end++] = nonce;
    }

    function unlock(address asset, uint256 paid) external {
        withdrawalRequests[getRequestId(asset, nextLockedNonce[asset]++)].expectedAssetAmount = paid;
    }

    function getUserWithdrawalRequest(address asset, address user, uint256 index)
        external
        view
        returns (uint256, uint256, uint256, uint256)
    {
        Uint256Deque storage its = userAssociatedNonces[asset][user];
        require(index < its.end - its.begin, "QueueOutOfBounds");
        uint256 nonce = its.data[its.begin + uint128(index)];
        WithdrawalRequest memory request = withdrawalRequests[getRequestId(asset, nonce)];
        return (request.rsETHUnstaked, request.expectedAssetAmount, request.withdrawalStartBlock, nonce);
    }

    function completeWithdrawal(address asset, string calldata) external {
        Uint256Deque storage its = userAssociatedNonces[asset][msg.sender];
        require(its.begin != its.end, "QueueEmpty");
        uint256 nonce = its.data[its.begin++];
        require(nonce < nextLockedNonce[asset], "WithdrawalLocked");
        bytes32 id = getRequestId(asset, nonce);
        uint256 amount = withdrawalRequests[id].expectedAssetAmount;
        delete withdrawalRequests[id];
        if (asset == IS_NATIVE) send(msg.sender, amount);
        else TokenCore(asset).transfer(msg.sender, amount);
    }
}

contract StakedAvaxDouble is TokenDouble {
    struct UnlockRequest {
        uint256 startedAt;
        uint256 shareAmount;
    }

    uint256 public cooldownPeriod;
    uint256 public redeemPeriod;
    uint256 private rate;
    mapping(address => UnlockRequest[]) public userUnlockRequests;

    constructor(uint256 cooldown, uint256 window, uint256 rate_) TokenDouble("Staked AVAX", "sAVAX", 18) {
        (cooldownPeriod, redeemPeriod, rate) = (cooldown, window, rate_);
    }

    function getPooledAvaxByShares(uint256 shareAmount) external view returns (uint256) {
        return (shareAmount * rate) / 1e18;
    }

    function requestUnlock(uint256 shareAmount) external {
        this.transferFrom(msg.sender, address(this), shareAmount);
        userUnlockRequests[msg.sender].push(UnlockRequest(block.timestamp, shareAmount));
    }

    function getUnlockRequestCount(address user) external view returns (uint256) {
        return userUnlockRequests[user].length;
    }

    function getPaginatedUnlockRequests(address user, uint256 from, uint256 to)
        external
        view
        returns (UnlockRequest[] memory page, uint256[] memory rates)
    {
        UnlockRequest[] storage its = userUnlockRequests[user];
        require(from < its.length, "From index out of bounds");
        if (to > its.length) to = its.length;
        (page, rates) = (new UnlockRequest[](to - from), new uint256[](to - from));
        for (uint256 i = 0; i < to - from; i++) {
            page[i] = its[from + i];
            if (isPaid(page[i])) rates[i] = rate;
        }
    }

    function redeem() external {
        send(msg.sender, (take(msg.sender, true) * rate) / 1e18);
    }

    function redeemOverdueShares() external {
        this.transfer(msg.sender, take(msg.sender, false));
    }

    // The cooldown and the time to redeem count their last seconds.
    function isPaid(UnlockRequest memory request) private view returns (bool) {
        uint256 ends = request.startedAt + cooldownPeriod;
        return ends < block.timestamp && block.timestamp <= ends + redeemPeriod;
    }

    function take(address user, bool paid) private returns (uint256 taken) {
        UnlockRequest[] storage its = userUnlockRequests[user];
        uint256 i = 0;
        while (i < its.length) {
            bool isOver = its[i].startedAt + cooldownPeriod + redeemPeriod < block.timestamp;
            if (paid ? !isPaid(its[i]) : !isOver) {
                i++;
                continue;
            }
            taken += its[i].shareAmount;
            its[i] = its[its.length - 1];
            its.pop();
        }
    }

    receive() external payable {}
}
