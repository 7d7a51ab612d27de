// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands for the escrow that Synthetix froze when the entries moved to a storage of their own, which reads on there: one
// entry of one account.
pragma solidity ^0.8.30;

contract FrozenEscrowDouble {
    struct VestingEntry {
        uint64 endTime;
        uint256 escrowAmount;
    }

    uint256 private constant ENTRY = 1;

    address private immutable owner;
    uint256 public immutable totalEscrowedBalance;
    uint256 public constant nextEntryId = ENTRY + 1;
    VestingEntry private entry;

    constructor(address account, uint64 endTime, uint256 amount) {
        owner = account;
        totalEscrowedBalance = amount;
        entry = VestingEntry(endTime, amount);
    }

    function numVestingEntries(address account) external view returns (uint256) {
        return account == owner ? 1 : 0;
    }

    function accountVestingEntryIDs(address account, uint256 index) external view returns (uint256) {
        require(account == owner && index == 0, "no entry");
        return ENTRY;
    }

    function vestingSchedules(address account, uint256 id) external view returns (VestingEntry memory found) {
        if (account == owner && id == ENTRY) found = entry;
    }

    function totalEscrowedAccountBalance(address account) external view returns (uint256) {
        return account == owner ? entry.escrowAmount : 0;
    }

    function totalVestedAccountBalance(address) external pure returns (uint256) {
        return 0;
    }
}
