// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for UNCX' lockers of pairs and for Team Finance's lockers, each in both versions; no package holds their bytecode.
// Views, withdrawals and what they refuse are those of the real ones. Left out are fees, referrals, countries, migrations,
// splits, and locks that are passed on.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

// What both versions of UNCX' have: locks by user and token. A lock that is empty leaves the lists, and the last of each
// list takes its place.
abstract contract PairLists {
    struct User {
        address[] tokens;
        mapping(address => uint256[]) locks;
    }

    mapping(address => User) internal users;

    function getUserNumLockedTokens(address user) external view returns (uint256) {
        return users[user].tokens.length;
    }

    function getUserLockedTokenAtIndex(address user, uint256 index) external view returns (address) {
        return users[user].tokens[index];
    }

    function getUserNumLocksForToken(address user, address token) external view returns (uint256) {
        return users[user].locks[token].length;
    }

    function add(address owner, address token, uint256 lock) internal {
        User storage user = users[owner];
        if (user.locks[token].length == 0) user.tokens.push(token);
        user.locks[token].push(lock);
    }

    function remove(address owner, address token, uint256 place) internal {
        User storage user = users[owner];
        uint256[] storage locks = user.locks[token];
        locks[place] = locks[locks.length - 1];
        locks.pop();
        if (locks.length > 0) return;
        for (uint256 i = 0; i < user.tokens.length; i++) {
            if (user.tokens[i] != token) continue;
            user.tokens[i] = user.tokens[user.tokens.length - 1];
            user.tokens.pop();
            return;
        }
    }
}

// The first version: each token has numbers of its own.
contract PairLockerDouble is PairLists {
    struct TokenLock {
        uint256 lockDate;
        uint256 amount;
        uint256 initialAmount;
        uint256 unlockDate;
        uint256 lockID;
        address owner;
    }

    mapping(address => TokenLock[]) public tokenLocks;

    function lockLPToken(address token, uint256 amount, uint256 unlockDate, address withdrawer) external {
        uint256 lockID = tokenLocks[token].length;
        tokenLocks[token].push(TokenLock(block.timestamp, amount, amount, unlockDate, lockID, withdrawer));
        add(withdrawer, token, lockID);
        TokenDouble(token).transferFrom(msg.sender, address(this), amount);
    }

    function getUserLockForTokenAtIndex(address user, address token, uint256 index)
        external
        view
        returns (uint256, uint256, uint256, uint256, uint256, address)
    {
        TokenLock memory lock = tokenLocks[token][users[user].locks[token][index]];
        return (lock.lockDate, lock.amount, lock.initialAmount, lock.unlockDate, lock.lockID, lock.owner);
    }

    function withdraw(address token, uint256 index, uint256 lockID, uint256 amount) external {
        require(amount > 0, "ZERO WITHDRAWL");
        uint256 found = users[msg.sender].locks[token][index];
        TokenLock storage lock = tokenLocks[token][found];
        require(found == lockID && lock.owner == msg.sender, "LOCK MISMATCH");
        require(lock.unlockDate < block.timestamp, "NOT YET");
        lock.amount -= amount;
        if (lock.amount == 0) remove(msg.sender, token, index);
        TokenDouble(token).transfer(msg.sender, amount);
    }
}

// The second version: one count of locks.
contract NumberedPairLockerDouble is PairLists {
    struct TokenLock {
        address lpToken;
        uint256 lockDate;
        uint256 amount;
        uint256 initialAmount;
        uint256 unlockDate;
        uint256 lockID;
        address owner;
        uint16 countryCode;
    }

    TokenLock[] public LOCKS;

    function lockLPToken(address token, uint256 amount, uint256 unlockDate, address withdrawer) external {
        add(withdrawer, token, LOCKS.length);
        LOCKS.push(TokenLock(token, block.timestamp, amount, amount, unlockDate, LOCKS.length, withdrawer, 1));
        TokenDouble(token).transferFrom(msg.sender, address(this), amount);
    }

    function getUserLockForTokenAtIndex(address user, address token, uint256 index) external view returns (TokenLock memory) {
        return LOCKS[users[user].locks[token][index]];
    }

    function withdraw(uint256 lockID, uint256 amount) external {
        require(amount > 0, "ZERO WITHDRAWL");
        TokenLock storage lock = LOCKS[lockID];
        require(lock.owner == msg.sender, "NOT OWNER");
        require(lock.unlockDate < block.timestamp, "NOT YET");
        lock.amount -= amount;
        uint256[] storage own = users[msg.sender].locks[lock.lpToken];
        for (uint256 i = 0; lock.amount == 0 && i < own.length; i++) {
            if (own[i] == lockID) remove(msg.sender, lock.lpToken, i);
        }
        TokenDouble(lock.lpToken).transfer(msg.sender, amount);
    }
}

// What both versions of Team Finance's have. A lock that was withdrawn leaves the list.
abstract contract Deposits {
    struct Items {
        address tokenAddress;
        address withdrawalAddress;
        uint256 tokenAmount;
        uint256 unlockTime;
        bool withdrawn;
    }

    uint256 public depositId;
    mapping(uint256 => Items) public lockedToken;
    mapping(address => uint256[]) internal deposits;

    function getDepositsByWithdrawalAddress(address account) external view returns (uint256[] memory) {
        return deposits[account];
    }

    function lockToken(address token, address account, uint256 amount, uint256 unlockTime) external {
        depositId++;
        lockedToken[depositId] = Items(token, account, amount, unlockTime, false);
        deposits[account].push(depositId);
        TokenDouble(token).transferFrom(msg.sender, address(this), amount);
    }

    function withdraw(uint256 id, uint256 amount) internal {
        Items storage lock = lockedToken[id];
        require(lock.withdrawalAddress == msg.sender, "Unauthorised to unlock");
        require(block.timestamp >= lock.unlockTime, "Unlock time not reached");
        require(!lock.withdrawn && amount > 0 && amount <= lock.tokenAmount, "Insufficent Balance to withdraw");
        if (amount < lock.tokenAmount) {
            lock.tokenAmount -= amount;
        } else {
            lock.withdrawn = true;
            uint256[] storage own = deposits[msg.sender];
            for (uint256 i = 0; i < own.length; i++) {
                if (own[i] != id) continue;
                own[i] = own[own.length - 1];
                own.pop();
                break;
            }
        }
        TokenDouble(lock.tokenAddress).transfer(msg.sender, amount);
    }
}

contract TokenLockerDouble is Deposits {
    // A lock of an NFT has no entry among those of tokens.
    function lockNFT(address account) external {
        deposits[account].push(++depositId);
    }

    function withdrawTokens(uint256 id, uint256 amount) external {
        withdraw(id, amount);
    }
}

contract FormerTokenLockerDouble is Deposits {
    function withdrawTokens(uint256 id) external {
        withdraw(id, lockedToken[id].tokenAmount);
    }
}
