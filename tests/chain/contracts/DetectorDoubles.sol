// SPDX-License-Identifier: MIT OR Apache-2.0
// Farms that pay where they believe that they are only tried, and take a staked token beside that when they are not. Each
// has one way to tell a trial from a transaction.
pragma solidity ^0.8.30;

import "./ClaimDoubles.sol";

contract DetectorDouble is FarmCore {
    enum Way {
        Never,
        CodeOfSender,
        CodeHashOfSender,
        GasPrice,
        GasPriceBelowBaseFee,
        BaseFee,
        FeeRecipient,
        BalanceOfFeeRecipient,
        BalanceOfSender,
        GasLeft,
        GasThatSenderCannotPay,
        Origin,
        ParentHash,
        Randomness,
        GasLimitOfBlock,
        OwnBalance,
        TransientStorage,
        WarmToken,
        BlobBaseFee,
        Precompile,
        NumberOfBlock,
        TimeOfBlock
    }

    Way public way;
    // What the author read before: the balance of the account, or the number or time of a block.
    uint256 public known;

    constructor(TokenCore rewardsToken_, TokenCore stakingToken_, Way way_, uint256 reward_, uint256 known_)
        FarmCore(rewardsToken_, stakingToken_, reward_)
    {
        way = way_;
        known = known_;
    }

    function getReward() external {
        if (!_isTrial()) stakingToken.transferFrom(msg.sender, address(this), 1);
        rewardsToken.transfer(msg.sender, reward);
    }

    function _isTrial() private returns (bool) {
        if (way == Way.CodeOfSender) return msg.sender.code.length != 0;
        if (way == Way.CodeHashOfSender) return uint256(msg.sender.codehash) != 0 && msg.sender.codehash != keccak256("");
        if (way == Way.GasPrice) return tx.gasprice == 0;
        if (way == Way.GasPriceBelowBaseFee) return tx.gasprice < block.basefee;
        if (way == Way.BaseFee) return block.basefee == 0;
        if (way == Way.FeeRecipient) return block.coinbase == address(0);
        if (way == Way.BalanceOfFeeRecipient) return block.coinbase.balance == 0;
        if (way == Way.BalanceOfSender) return msg.sender.balance >= known;
        if (way == Way.GasLeft) return gasleft() > 1_000_000;
        if (way == Way.GasThatSenderCannotPay) return gasleft() * tx.gasprice > known;
        if (way == Way.Origin) return tx.origin != msg.sender;
        if (way == Way.ParentHash) return blockhash(block.number - 1) == 0;
        if (way == Way.Randomness) return block.prevrandao == 0;
        if (way == Way.GasLimitOfBlock) return block.gaslimit == 0 || block.gaslimit > 1_000_000_000;
        if (way == Way.OwnBalance) return address(this).balance != known;
        if (way == Way.TransientStorage) return _wasHere();
        if (way == Way.WarmToken) return _isWarm();
        if (way == Way.BlobBaseFee) return block.blobbasefee == 0;
        if (way == Way.Precompile) return sha256("") != 0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855;
        if (way == Way.NumberOfBlock) return block.number <= known;
        if (way == Way.TimeOfBlock) return block.timestamp <= known;
        return false;
    }

    function _wasHere() private returns (bool was) {
        assembly ("memory-safe") {
            was := tload(0)
            tstore(0, 1)
        }
    }

    // A first look at an address costs 2,600 in a transaction, and 100 after that (EIP-2929).
    function _isWarm() private view returns (bool) {
        uint256 before = gasleft();
        uint256 size = address(rewardsToken).balance;
        return before - gasleft() < 1_500 + size;
    }
}
