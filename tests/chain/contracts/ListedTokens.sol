// SPDX-License-Identifier: MIT OR Apache-2.0
// Tokens of lists. Thousands are clones of one; the others break those who read balances.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

// The code behind all clones (ERC-1167). What a clone says of itself follows from its own address,
// whose last two bytes are its number, so that only balances take up storage.
contract ListedTokenDouble is TokenCore {
    function name() external view returns (string memory) {
        return string.concat("Listed ", _digits(_number()));
    }

    function symbol() external view returns (string memory) {
        return string.concat("LST", _digits(_number()));
    }

    function decimals() external view returns (uint8) {
        return [18, 6, 8, 18][_number() % 4];
    }

    function _number() private view returns (uint256) {
        return uint16(uint160(address(this)));
    }

    function _digits(uint256 number) private pure returns (string memory) {
        if (number < 10) return string(abi.encodePacked(uint8(48 + number)));
        return string.concat(_digits(number / 10), _digits(number % 10));
    }
}

contract RevertingBalanceTokenDouble {
    string public constant name = "Reverting Balance";
    string public constant symbol = "RVB";
    uint8 public constant decimals = 18;
    uint256 public constant totalSupply = 10 ** 24;

    function balanceOf(address) external pure returns (uint256) {
        revert("no balance");
    }
}

// Leaves no gas.
contract InvalidBalanceTokenDouble {
    string public constant name = "Invalid Balance";
    string public constant symbol = "INV";
    uint8 public constant decimals = 18;
    uint256 public constant totalSupply = 10 ** 24;

    function balanceOf(address) external pure returns (uint256) {
        assembly ("memory-safe") {
            invalid()
        }
    }
}

// Succeeds with fewer bytes than a number has.
contract ShortBalanceTokenDouble {
    string public constant name = "Short Balance";
    string public constant symbol = "SHRT";
    uint8 public constant decimals = 18;
    uint256 public constant totalSupply = 10 ** 24;

    function balanceOf(address) external pure returns (uint256) {
        assembly ("memory-safe") {
            mstore(0, not(0))
            return(0, 31)
        }
    }
}

// Has holders and says that there is nothing.
contract UnsuppliedTokenDouble {
    string public constant name = "Unsupplied";
    string public constant symbol = "UNS";
    uint8 public constant decimals = 18;
    uint256 public constant totalSupply = 0;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }
}
