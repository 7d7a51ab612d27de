// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Karak's first version, of which no package holds bytecode: vaults of one token each, the supervisor that counts
// the shares of all of them, and the one that queues withdrawals and pays them after a time. A share grows where its vault
// is given tokens.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract RestakedVaultDouble {
    address public immutable asset;
    address public immutable owner;
    uint256 public totalSupply;

    modifier onlyOwner() {
        require(msg.sender == owner, "Unauthorized");
        _;
    }

    constructor(address token, address supervisor) {
        asset = token;
        owner = supervisor;
    }

    function deposit(uint256 assets, address depositor) external onlyOwner returns (uint256 shares) {
        uint256 held = TokenCore(asset).balanceOf(address(this));
        shares = totalSupply == 0 ? assets : (assets * totalSupply) / held;
        totalSupply += shares;
        TokenCore(asset).transferFrom(depositor, address(this), assets);
    }

    function redeem(uint256 shares, address to, address) external onlyOwner returns (uint256 assets) {
        assets = convertToAssets(shares);
        totalSupply -= shares;
        TokenCore(asset).transfer(to, assets);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return totalSupply == 0 ? shares : (shares * TokenCore(asset).balanceOf(address(this))) / totalSupply;
    }
}

contract VaultSupervisorDouble {
    address public delegationSupervisor;
    RestakedVaultDouble[] private vaults;
    mapping(address => address[]) private vaultsOf;
    mapping(address => mapping(address => uint256)) private sharesOf;

    modifier onlyQueue() {
        require(msg.sender == delegationSupervisor, "NotDelegationSupervisor");
        _;
    }

    function setDelegationSupervisor(address queue) external {
        delegationSupervisor = queue;
    }

    function deployVault(address token) external {
        vaults.push(new RestakedVaultDouble(token, address(this)));
    }

    // The account has allowed the vault to take the tokens.
    function deposit(RestakedVaultDouble vault, uint256 amount) external {
        if (sharesOf[msg.sender][address(vault)] == 0) vaultsOf[msg.sender].push(address(vault));
        sharesOf[msg.sender][address(vault)] += vault.deposit(amount, msg.sender);
    }

    function removeShares(address staker, address vault, uint256 shares) external onlyQueue {
        sharesOf[staker][vault] -= shares;
        if (sharesOf[staker][vault] > 0) return;
        address[] storage own = vaultsOf[staker];
        for (uint256 i = 0; i < own.length; i++) {
            if (own[i] != vault) continue;
            own[i] = own[own.length - 1];
            own.pop();
            return;
        }
    }

    function redeemShares(address staker, RestakedVaultDouble vault, uint256 shares) external onlyQueue {
        vault.redeem(shares, staker, address(this));
    }

    function getDeposits(address staker)
        external
        view
        returns (address[] memory own, address[] memory tokens, uint256[] memory assets, uint256[] memory shares)
    {
        own = vaultsOf[staker];
        tokens = new address[](own.length);
        assets = new uint256[](own.length);
        shares = new uint256[](own.length);
        for (uint256 i = 0; i < own.length; i++) {
            shares[i] = sharesOf[staker][own[i]];
            assets[i] = RestakedVaultDouble(own[i]).convertToAssets(shares[i]);
            tokens[i] = RestakedVaultDouble(own[i]).asset();
        }
    }

    function getVaults() external view returns (RestakedVaultDouble[] memory) {
        return vaults;
    }
}

contract DelegationSupervisorDouble {
    struct WithdrawRequest {
        address[] vaults;
        uint256[] shares;
        address withdrawer;
    }

    struct QueuedWithdrawal {
        address staker;
        address delegatedTo;
        uint256 nonce;
        uint256 start;
        WithdrawRequest request;
    }

    uint256 public immutable withdrawalDelay;
    VaultSupervisorDouble private immutable supervisor;
    mapping(address => QueuedWithdrawal[]) private queued;
    mapping(bytes32 => bool) private pending;

    constructor(VaultSupervisorDouble supervisor_, uint256 delay) {
        supervisor = supervisor_;
        withdrawalDelay = delay;
    }

    function startWithdraw(WithdrawRequest[] calldata requests) external {
        for (uint256 i = 0; i < requests.length; i++) {
            WithdrawRequest calldata request = requests[i];
            require(request.withdrawer == msg.sender, "NotStaker");
            for (uint256 k = 0; k < request.vaults.length; k++) {
                supervisor.removeShares(msg.sender, request.vaults[k], request.shares[k]);
            }
            QueuedWithdrawal[] storage own = queued[msg.sender];
            own.push(QueuedWithdrawal(msg.sender, address(0), own.length, block.timestamp, request));
            pending[keccak256(abi.encode(own[own.length - 1]))] = true;
        }
    }

    function finishWithdraw(QueuedWithdrawal[] calldata withdrawals) external {
        for (uint256 i = 0; i < withdrawals.length; i++) {
            QueuedWithdrawal calldata withdrawal = withdrawals[i];
            require(withdrawal.request.withdrawer == msg.sender, "WithdrawerNotCaller");
            require(withdrawal.start + withdrawalDelay <= block.timestamp, "MinWithdrawDelayNotPassed");
            bytes32 root = keccak256(abi.encode(withdrawal));
            require(pending[root], "WithdrawAlreadyCompleted");
            delete pending[root];
            for (uint256 k = 0; k < withdrawal.request.vaults.length; k++) {
                RestakedVaultDouble vault = RestakedVaultDouble(withdrawal.request.vaults[k]);
                supervisor.redeemShares(msg.sender, vault, withdrawal.request.shares[k]);
            }
        }
    }

    // Finished ones stay in the list.
    function fetchQueuedWithdrawals(address staker) external view returns (QueuedWithdrawal[] memory) {
        return queued[staker];
    }

    function isWithdrawPending(QueuedWithdrawal calldata withdrawal) external view returns (bool) {
        return pending[keccak256(abi.encode(withdrawal))];
    }
}
