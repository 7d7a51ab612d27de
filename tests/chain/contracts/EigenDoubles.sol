// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for EigenLayer since its slashing, whose packages have older code: strategies with shares, the manager that knows
// them, and the manager of delegations, which counts what can be withdrawn, queues withdrawals and pays them after a
// number of blocks. An operator's slashing is a factor that is set; ether of validators is a number that is set.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract StrategyDouble {
    address public immutable underlyingToken;
    // Smallest units of the token for 10^18 shares.
    uint256 public rate;

    constructor(address token, uint256 rate_) {
        underlyingToken = token;
        rate = rate_;
    }

    function sharesToUnderlyingView(uint256 shares) public view returns (uint256) {
        return (shares * rate) / 1e18;
    }

    function withdraw(address recipient, address token, uint256 shares) external {
        require(token == underlyingToken, "OnlyUnderlyingToken");
        TokenCore(token).transfer(recipient, sharesToUnderlyingView(shares));
    }
}

contract StrategyManagerDouble {
    mapping(address => bool) public strategyIsWhitelistedForDeposit;

    function addStrategy(address strategy) external {
        strategyIsWhitelistedForDeposit[strategy] = true;
    }
}

contract DelegationManagerDouble {
    struct Withdrawal {
        address staker;
        address delegatedTo;
        address withdrawer;
        uint256 nonce;
        uint32 startBlock;
        address[] strategies;
        uint256[] scaledShares;
    }

    address public constant beaconChainETHStrategy = 0xbeaC0eeEeeeeEEeEeEEEEeeEEeEeeeEeeEEBEaC0;

    uint32 public immutable minWithdrawalDelayBlocks;
    mapping(address => address) public delegatedTo;
    mapping(address => uint256) private factors;
    mapping(address => address[]) private strategiesOf;
    mapping(address => mapping(address => uint256)) private sharesOf;
    mapping(address => Withdrawal[]) private queued;
    mapping(address => uint256) private nonces;

    constructor(uint32 delay) {
        minWithdrawalDelayBlocks = delay;
    }

    function delegateTo(address operator) external {
        delegatedTo[msg.sender] = operator;
    }

    // Of 10^18.
    function setSlashingFactor(address operator, uint256 factor) external {
        factors[operator] = factor;
    }

    // Tokens are minted to the strategy by the profile.
    function deposit(address strategy, uint256 shares) external {
        if (sharesOf[msg.sender][strategy] == 0) strategiesOf[msg.sender].push(strategy);
        sharesOf[msg.sender][strategy] += shares;
    }

    function queueWithdrawal(address[] calldata strategies, uint256[] calldata shares) external {
        uint256 nonce = nonces[msg.sender]++;
        address operator = delegatedTo[msg.sender];
        queued[msg.sender].push(
            Withdrawal(msg.sender, operator, msg.sender, nonce, uint32(block.number), strategies, shares)
        );
        for (uint256 i = 0; i < strategies.length; i++) _remove(strategies[i], shares[i]);
    }

    function getDepositedShares(address staker)
        external
        view
        returns (address[] memory strategies, uint256[] memory shares)
    {
        strategies = strategiesOf[staker];
        shares = new uint256[](strategies.length);
        for (uint256 i = 0; i < shares.length; i++) shares[i] = sharesOf[staker][strategies[i]];
    }

    function getWithdrawableShares(address staker, address[] calldata strategies)
        external
        view
        returns (uint256[] memory withdrawable, uint256[] memory deposited)
    {
        withdrawable = new uint256[](strategies.length);
        deposited = new uint256[](strategies.length);
        for (uint256 i = 0; i < strategies.length; i++) {
            deposited[i] = sharesOf[staker][strategies[i]];
            withdrawable[i] = _slashed(delegatedTo[staker], deposited[i]);
        }
    }

    function getQueuedWithdrawals(address staker)
        external
        view
        returns (Withdrawal[] memory withdrawals, uint256[][] memory shares)
    {
        withdrawals = queued[staker];
        shares = new uint256[][](withdrawals.length);
        for (uint256 i = 0; i < withdrawals.length; i++) {
            uint256[] memory scaled = withdrawals[i].scaledShares;
            shares[i] = new uint256[](scaled.length);
            for (uint256 k = 0; k < scaled.length; k++) shares[i][k] = _slashed(withdrawals[i].delegatedTo, scaled[k]);
        }
    }

    function completeQueuedWithdrawal(Withdrawal calldata withdrawal, address[] calldata tokens, bool receiveAsTokens)
        external
    {
        require(msg.sender == withdrawal.withdrawer, "WithdrawerNotCaller");
        require(receiveAsTokens && tokens.length == withdrawal.strategies.length, "InputArrayLengthMismatch");
        require(block.number > withdrawal.startBlock + minWithdrawalDelayBlocks, "WithdrawalDelayNotElapsed");
        Withdrawal[] storage own = queued[msg.sender];
        bytes32 root = keccak256(abi.encode(withdrawal));
        for (uint256 i = 0; i < own.length; i++) {
            if (keccak256(abi.encode(own[i])) != root) continue;
            own[i] = own[own.length - 1];
            own.pop();
            for (uint256 k = 0; k < tokens.length; k++) {
                uint256 shares = _slashed(withdrawal.delegatedTo, withdrawal.scaledShares[k]);
                _pay(withdrawal.strategies[k], tokens[k], shares);
            }
            return;
        }
        revert("WithdrawalNotQueued");
    }

    // The token is ignored where ether of validators is paid.
    function _pay(address strategy, address token, uint256 shares) private {
        if (strategy != beaconChainETHStrategy) return StrategyDouble(strategy).withdraw(msg.sender, token, shares);
        (bool isSent,) = msg.sender.call{ value: shares }("");
        require(isSent, "InsufficientWithdrawableBalance");
    }

    function _slashed(address operator, uint256 shares) private view returns (uint256) {
        uint256 factor = factors[operator];
        return factor == 0 ? shares : (shares * factor) / 1e18;
    }

    function _remove(address strategy, uint256 shares) private {
        sharesOf[msg.sender][strategy] -= shares;
        if (sharesOf[msg.sender][strategy] > 0) return;
        address[] storage own = strategiesOf[msg.sender];
        for (uint256 i = 0; i < own.length; i++) {
            if (own[i] != strategy) continue;
            own[i] = own[own.length - 1];
            own.pop();
            return;
        }
    }
}
