// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands for Lido's WithdrawalQueueERC721; no package holds its bytecode. Written from its documented interface: requests,
// their status, checkpoints with hints, and claims have the functions and the meaning of the real ones. NFTs, roles, limits
// of amounts and permits are left out; a share is one smallest unit of stETH.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract WithdrawalQueueDouble {
    // As in WithdrawalQueueBase; members in this order.
    struct WithdrawalRequestStatus {
        uint256 amountOfStETH;
        uint256 amountOfShares;
        address owner;
        uint256 timestamp;
        bool isFinalized;
        bool isClaimed;
    }

    struct Checkpoint {
        uint256 fromRequestId;
        uint256 maxShareRate;
    }

    uint256 private constant RATE_ONE = 1e27;
    address private immutable steth;

    uint256 public getLastRequestId;
    uint256 public getLastFinalizedRequestId;
    uint256 public getLastCheckpointIndex;
    mapping(uint256 => WithdrawalRequestStatus) private requests;
    mapping(uint256 => Checkpoint) private checkpoints;
    mapping(address => uint256[]) private owned;

    constructor(address steth_) {
        steth = steth_;
    }

    function requestWithdrawals(uint256[] calldata amounts, address owner) external returns (uint256[] memory ids) {
        ids = new uint256[](amounts.length);
        for (uint256 i = 0; i < amounts.length; i++) {
            TokenCore(steth).transferFrom(msg.sender, address(this), amounts[i]);
            ids[i] = ++getLastRequestId;
            requests[ids[i]] = WithdrawalRequestStatus(amounts[i], amounts[i], owner, block.timestamp, false, false);
            owned[owner].push(ids[i]);
        }
    }

    // What is sent has to cover the requests up to the last one.
    function finalize(uint256 lastId, uint256 maxShareRate) external payable {
        checkpoints[++getLastCheckpointIndex] = Checkpoint(getLastFinalizedRequestId + 1, maxShareRate);
        for (uint256 id = getLastFinalizedRequestId + 1; id <= lastId; id++) requests[id].isFinalized = true;
        getLastFinalizedRequestId = lastId;
    }

    function getWithdrawalRequests(address owner) external view returns (uint256[] memory) {
        return owned[owner];
    }

    function getWithdrawalStatus(uint256[] calldata ids) external view returns (WithdrawalRequestStatus[] memory found) {
        found = new WithdrawalRequestStatus[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) {
            require(ids[i] > 0 && ids[i] <= getLastRequestId, "InvalidRequestId");
            found[i] = requests[ids[i]];
        }
    }

    // Ids have to be sorted; a request that is not final has the hint 0.
    function findCheckpointHints(uint256[] calldata ids, uint256 first, uint256 last)
        external
        view
        returns (uint256[] memory hints)
    {
        hints = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) {
            require(i == 0 || ids[i - 1] <= ids[i], "RequestIdsNotSorted");
            if (!requests[ids[i]].isFinalized) continue;
            for (uint256 index = first; index <= last && checkpoints[index].fromRequestId <= ids[i]; index++) {
                hints[i] = index;
            }
        }
    }

    function getClaimableEther(uint256[] calldata ids, uint256[] calldata hints)
        external
        view
        returns (uint256[] memory amounts)
    {
        amounts = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) amounts[i] = _claimable(ids[i], hints[i]);
    }

    // The real one emits an event for each; whoever claims has to own all of them.
    function claimWithdrawals(uint256[] calldata ids, uint256[] calldata hints) external {
        require(ids.length == hints.length, "ArraysLengthMismatch");
        for (uint256 i = 0; i < ids.length; i++) {
            WithdrawalRequestStatus storage request = requests[ids[i]];
            require(request.owner == msg.sender, "NotOwner");
            uint256 amount = _claimable(ids[i], hints[i]);
            require(amount > 0, "RequestNotFoundOrNotFinalized");
            request.isClaimed = true;
            _forget(owned[msg.sender], ids[i]);
            (bool isSent,) = msg.sender.call{ value: amount }("");
            require(isSent, "CantSendValueRecipientMayHaveReverted");
        }
    }

    // A share is paid at most at its checkpoint's rate.
    function _claimable(uint256 id, uint256 hint) private view returns (uint256) {
        WithdrawalRequestStatus storage request = requests[id];
        if (!request.isFinalized || request.isClaimed) return 0;
        bool isOf = hint > 0 && hint <= getLastCheckpointIndex && checkpoints[hint].fromRequestId <= id
            && (hint == getLastCheckpointIndex || checkpoints[hint + 1].fromRequestId > id);
        require(isOf, "InvalidHint");
        uint256 rate = checkpoints[hint].maxShareRate;
        return rate < RATE_ONE ? (request.amountOfShares * rate) / RATE_ONE : request.amountOfStETH;
    }

    function _forget(uint256[] storage ids, uint256 id) private {
        for (uint256 i = 0; i < ids.length; i++) {
            if (ids[i] != id) continue;
            ids[i] = ids[ids.length - 1];
            ids.pop();
            return;
        }
    }
}
