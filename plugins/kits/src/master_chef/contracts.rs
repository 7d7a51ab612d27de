//! Called functions of chefs, rewarders and staked tokens.

/// Functions of all versions.
pub(super) mod chef {
    portolan_plugin_api::sol! {
        function poolLength() external view returns (uint256);
        function totalAllocPoint() external view returns (uint256);
        // Called by the deployment's name for it.
        function pendingSushi(uint256 pid, address account) external view returns (uint256);
        // Called by names that `reward.rs` derives from the pending view's.
        function sushi() external view returns (address);
        function sushiPerSecond() external view returns (uint256);
        // Pangolin's MiniChefV2: <https://github.com/pangolindex/exchange-contracts>
        function rewardsExpiration() external view returns (uint256);
        // Called by the names in `reward.rs`.
        function endTime() external view returns (uint256);
    }
}

/// Pending views with more return values, called by the deployment's name for them.
pub(super) mod pending {
    /// Trader Joe's `MasterChefJoeV2` to `BoostedMasterChefJoe`.
    ///
    /// Source: <https://github.com/traderjoe-xyz/joe-core/blob/main/contracts/BoostedMasterChefJoe.sol>
    pub(in super::super) mod bonus {
        portolan_plugin_api::sol! {
            function pendingTokens(uint256 pid, address account) external view
                returns (uint256 amount, address bonusToken, string bonusSymbol, uint256 bonusAmount);
        }
    }

    /// Trader Joe's rewarder, and where its address is found: in chefs' `poolInfo`, at the word given here, or in a
    /// view.
    ///
    /// Source: <https://github.com/traderjoe-xyz/joe-core/blob/main/contracts/rewarders/SimpleRewarderPerSec.sol>
    pub(in super::super) mod native {
        portolan_plugin_api::sol! {
            // True if it pays the native token although it counts in the wrapped one.
            function isNative() external view returns (bool);
            function rewarder(uint256 pid) external view returns (address);
            function rewarders(uint256 pid) external view returns (address);
        }

        /// `MasterChefJoeV2` and `MasterChefJoeV3`.
        pub(in super::super::super) mod fifth {
            portolan_plugin_api::sol! {
                function poolInfo(uint256 pid) external view returns (
                    address lpToken, uint256 allocPoint, uint256 lastRewardTimestamp, uint256 accJoePerShare,
                    address rewarder
                );
            }
        }

        /// `BoostedMasterChefJoe`.
        pub(in super::super::super) mod sixth {
            portolan_plugin_api::sol! {
                function poolInfo(uint256 pid) external view returns (
                    address lpToken, uint96 allocPoint, uint256 accJoePerShare, uint256 accJoePerFactorPerShare,
                    uint64 lastRewardTimestamp, address rewarder
                );
            }
        }
    }

    /// Wombat's `MasterWombatV3`.
    ///
    /// Source: <https://github.com/wombat-exchange/v1-core/blob/master/contracts/wombat-governance/MasterWombatV3.sol>
    pub(in super::super) mod bonuses {
        portolan_plugin_api::sol! {
            function pendingTokens(uint256 pid, address account) external view returns (
                uint256 amount, address[] bonusTokens, string[] bonusSymbols, uint256[] bonusAmounts
            );
        }
    }

    /// Alien Base's `BasedDistributorV2`.
    ///
    /// Source: <https://basescan.org/address/0x52eaecac2402633d98b95213d0b473e069d86590#code>
    pub(in super::super) mod lists {
        portolan_plugin_api::sol! {
            function pendingTokens(uint256 pid, address account) external view
                returns (address[] tokens, string[] symbols, uint256[] decimals, uint256[] amounts);
            // True if the pool's interval between two harvests is over.
            function canHarvest(uint256 pid, address account) external view returns (bool);
        }
    }
}

/// Calls that pay without moving a stake.
pub(super) mod claims {
    portolan_plugin_api::sol! {
        function deposit(uint256 pid, uint256 amount) external;
        function withdraw(uint256 pid, uint256 amount) external;
        function harvest(uint256 pid, address to) external;
        // PancakeSwap's, for the pool of its own token:
        // <https://github.com/pancakeswap/pancake-smart-contracts/blob/master/projects/farms-pools/contracts/MasterChef.sol>
        function leaveStaking(uint256 amount) external;
    }
}

/// The first version. Forks append members to both structs; these are not read.
///
/// Source: <https://etherscan.io/address/0xc2edad668740f1aa35e4d8f227fb8e17dca888cd#code>
pub(super) mod v1 {
    portolan_plugin_api::sol! {
        function poolInfo(uint256 pid) external view returns (address lpToken, uint256 allocPoint);
        function userInfo(uint256 pid, address account) external view returns (uint256 amount);
    }
}

/// `MasterChefV2` and `MiniChefV2`.
///
/// Source: <https://etherscan.io/address/0xef0881ec094552b2e128cf945ef17a6752b4ec5d#code> and
/// <https://polygonscan.com/address/0x0769fd68dfb93167989c6f7254cd0d766fb2841f#code>
pub(super) mod v2 {
    portolan_plugin_api::sol! {
        function lpToken(uint256 pid) external view returns (address);
        function rewarder(uint256 pid) external view returns (address);
        function poolInfo(uint256 pid) external view
            returns (uint256 accSushiPerShare, uint256 lastReward, uint256 allocPoint);
        function userInfo(uint256 pid, address account) external view returns (uint256 amount, int256 rewardDebt);
    }
}

/// `BeethovenxMasterChef`, where it differs from the second version.
///
/// Source: <https://github.com/beethovenxfi/beethovenx-token/blob/master/contracts/BeethovenxMasterChef.sol>
pub(super) mod beets {
    portolan_plugin_api::sol! {
        function lpTokens(uint256 pid) external view returns (address);
        function poolInfo(uint256 pid) external view
            returns (uint256 allocPoint, uint256 lastRewardBlock, uint256 accBeetsPerShare);
    }
}

portolan_plugin_api::sol! {
    // A rewarder (`IRewarder` in the same sources).
    function pendingTokens(uint256 pid, address account, uint256 sushiAmount) external view
        returns (address[] tokens, uint256[] amounts);

    // A staked token.
    function balanceOf(address account) external view returns (uint256);
}
