// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Hedgey's plans, for LlamaPay's vesting escrows with their factory, for Merkl's distributor with the contract
// of its campaigns, and for the comptroller that Sablier's Lockup asks about fees; no package holds their bytecode. Views,
// claims and roundings are those of the real ones. Left out are approvals, votes and revocation of plans, beneficiaries
// and open claims of escrows, and Merkl's operators, disputes and campaigns.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

// Plans are NFTs that their owner enumerates. One that is redeemed in full is burnt.
contract TokenPlansDouble {
    struct Plan {
        address token;
        uint256 amount;
        uint256 start;
        uint256 cliff;
        uint256 rate;
        uint256 period;
        address vestingAdmin;
        bool adminTransferOBO;
    }

    mapping(uint256 => Plan) public plans;
    mapping(uint256 => address) private owners;
    mapping(address => uint256[]) private owned;
    uint256 private last;

    function createPlan(address recipient, address token, uint256 amount, uint256 start, uint256 cliff, uint256 rate, uint256 period) external {
        last++;
        plans[last] = Plan(token, amount, start, cliff, rate, period, msg.sender, false);
        owners[last] = recipient;
        owned[recipient].push(last);
        TokenDouble(token).transferFrom(msg.sender, address(this), amount);
    }

    function balanceOf(address owner) external view returns (uint256) {
        return owned[owner].length;
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        return owned[owner][index];
    }

    function ownerOf(uint256 planId) public view returns (address) {
        require(owners[planId] != address(0), "invalid token ID");
        return owners[planId];
    }

    function planEnd(uint256 planId) external view returns (uint256) {
        Plan memory plan = plans[planId];
        uint256 periods = (plan.amount + plan.rate - 1) / plan.rate;
        return plan.start + periods * plan.period;
    }

    function planBalanceOf(uint256 planId, uint256 timeStamp, uint256 redemptionTime) public view returns (uint256 balance, uint256 remainder, uint256 latestUnlock) {
        Plan memory plan = plans[planId];
        bool waits = plan.start > timeStamp || plan.cliff > timeStamp || redemptionTime <= plan.start;
        if (waits) return (0, plan.amount, plan.start);
        uint256 periods = (redemptionTime - plan.start) / plan.period;
        balance = periods * plan.rate < plan.amount ? periods * plan.rate : plan.amount;
        return (balance, plan.amount - balance, plan.start + periods * plan.period);
    }

    function redeemPlans(uint256[] calldata planIds) external {
        for (uint256 i = 0; i < planIds.length; i++) {
            uint256 id = planIds[i];
            (uint256 balance, uint256 remainder, uint256 latestUnlock) = planBalanceOf(id, block.timestamp, block.timestamp);
            if (balance == 0) continue;
            require(ownerOf(id) == msg.sender, "!owner");
            TokenDouble token = TokenDouble(plans[id].token);
            if (remainder == 0) burn(id);
            else (plans[id].amount, plans[id].start) = (remainder, latestUnlock);
            token.transfer(msg.sender, balance);
        }
    }

    function burn(uint256 id) private {
        uint256[] storage all = owned[msg.sender];
        for (uint256 i = 0; i < all.length; i++) {
            if (all[i] != id) continue;
            all[i] = all[all.length - 1];
            all.pop();
            break;
        }
        delete plans[id];
        delete owners[id];
    }
}

// Makes an escrow for each grant.
contract EscrowFactoryDouble {
    address[] public escrows;

    function escrows_length() external view returns (uint256) {
        return escrows.length;
    }

    function deploy_vesting_contract(address token, address recipient, uint256 amount, uint256 duration, uint256 start, uint256 cliff) external {
        VestingEscrowDouble escrow = new VestingEscrowDouble(msg.sender, token, recipient, amount, start, start + duration, cliff);
        escrows.push(address(escrow));
        TokenDouble(token).transferFrom(msg.sender, address(escrow), amount);
    }
}

// Vests from its start to its end, and nothing before the cliff. Its owner may take what has not vested.
contract VestingEscrowDouble {
    address private owner;
    address public immutable token;
    address public immutable recipient;
    uint256 public immutable total_locked;
    uint256 public immutable start_time;
    uint256 public immutable end_time;
    uint256 public immutable cliff_length;
    uint256 public total_claimed;
    uint256 public disabled_at;

    constructor(address owner_, address token_, address recipient_, uint256 amount, uint256 start, uint256 end, uint256 cliff) {
        (owner, token, recipient, total_locked) = (owner_, token_, recipient_, amount);
        (start_time, end_time, cliff_length, disabled_at) = (start, end, cliff, end);
    }

    function unclaimed() public view returns (uint256) {
        return vestedAt(until()) - total_claimed;
    }

    function locked() public view returns (uint256) {
        return vestedAt(disabled_at) - vestedAt(until());
    }

    function claim() external returns (uint256 amount) {
        require(msg.sender == recipient, "not authorized");
        amount = unclaimed();
        total_claimed += amount;
        TokenDouble(token).transfer(recipient, amount);
    }

    function revoke() external {
        require(msg.sender == owner, "not owner");
        uint256 amount = locked();
        disabled_at = block.timestamp;
        TokenDouble(token).transfer(owner, amount);
    }

    function until() private view returns (uint256) {
        return block.timestamp < disabled_at ? block.timestamp : disabled_at;
    }

    function vestedAt(uint256 time) private view returns (uint256) {
        if (time < start_time + cliff_length) return 0;
        uint256 vested = (total_locked * (time - start_time)) / (end_time - start_time);
        return vested < total_locked ? vested : total_locked;
    }
}

// Pays what a leaf of an account and a token says, less what it has paid before.
contract MerklDistributorDouble {
    struct Claim {
        uint208 amount;
        uint48 timestamp;
        bytes32 merkleRoot;
    }

    bytes32 public getMerkleRoot;
    mapping(address => mapping(address => Claim)) public claimed;
    mapping(address => mapping(address => address)) public claimRecipient;

    function updateTree(bytes32 root) external {
        getMerkleRoot = root;
    }

    function setClaimRecipient(address recipient, address token) external {
        claimRecipient[msg.sender][token] = recipient;
    }

    function claim(address[] calldata users, address[] calldata tokens, uint256[] calldata amounts, bytes32[][] calldata proofs) external {
        for (uint256 i = 0; i < users.length; i++) {
            (address user, address token) = (users[i], tokens[i]);
            require(user == msg.sender, "NotWhitelisted");
            require(folded(keccak256(abi.encode(user, token, amounts[i])), proofs[i]) == getMerkleRoot, "InvalidProof");
            uint256 left = amounts[i] - claimed[user][token].amount;
            claimed[user][token] = Claim(uint208(amounts[i]), uint48(block.timestamp), getMerkleRoot);
            address recipient = claimRecipient[user][token];
            if (recipient == address(0)) recipient = claimRecipient[user][address(0)];
            TokenDouble(token).transfer(recipient == address(0) ? user : recipient, left);
        }
    }

    function folded(bytes32 node, bytes32[] calldata proof) private pure returns (bytes32) {
        for (uint256 i = 0; i < proof.length; i++) {
            (bytes32 low, bytes32 high) = node < proof[i] ? (node, proof[i]) : (proof[i], node);
            node = keccak256(abi.encode(low, high));
        }
        return node;
    }
}

// Lists the tokens that rewards may be in.
contract MerklCreatorDouble {
    struct RewardTokenAmounts {
        address token;
        uint256 minimumAmountPerEpoch;
    }

    RewardTokenAmounts[] private listed;

    function setRewardToken(address token, uint256 minimum) external {
        listed.push(RewardTokenAmounts(token, minimum));
    }

    function getValidRewardTokens() external view returns (RewardTokenAmounts[] memory) {
        return listed;
    }
}

// Asks the same fee of everybody.
contract SablierComptrollerDouble {
    uint256 private immutable fee;

    constructor(uint256 fee_) {
        fee = fee_;
    }

    function supportsInterface(bytes4) external pure returns (bool) {
        return true;
    }

    function calculateMinFeeWeiFor(uint8, address) external view returns (uint256) {
        return fee;
    }
}
