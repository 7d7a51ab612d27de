// SPDX-License-Identifier: MIT OR Apache-2.0
// Tokens of the test chain. All of them move money the ordinary way, so that a
// claim pays; what differs is how they return their name, symbol and decimals.
pragma solidity ^0.8.30;

abstract contract TokenCore {
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    // Anyone may mint: the chain is local and the build script is its only author.
    function mint(address to, uint256 value) external virtual {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

contract TokenDouble is TokenCore {
    string public name;
    string public symbol;
    uint8 public decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }
}

// As tokens before 2017 did it (MKR, SAI).
contract Bytes32TokenDouble is TokenCore {
    bytes32 public name;
    bytes32 public symbol;
    uint8 public constant decimals = 18;

    constructor(bytes32 name_, bytes32 symbol_) {
        name = name_;
        symbol = symbol_;
    }
}

contract RevertingSymbolTokenDouble is TokenCore {
    string public constant name = "Reverting Symbol";
    uint8 public constant decimals = 18;

    function symbol() external pure returns (string memory) {
        revert("no symbol");
    }
}

// Answers 1 MiB of the letter M.
contract HugeSymbolTokenDouble is TokenCore {
    string public constant name = "Huge Symbol";
    uint8 public constant decimals = 18;

    function symbol() external pure returns (string memory) {
        assembly ("memory-safe") {
            let text := mload(0x40)
            mstore(text, 0x20)
            mstore(add(text, 0x20), 0x100000)
            let letters := add(text, 0x40)
            mstore(letters, 0x4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d)
            for { let done := 0x20 } lt(done, 0x100000) { done := shl(1, done) } {
                mcopy(add(letters, done), letters, done)
            }
            return(text, 0x100040)
        }
    }
}

contract BareTokenDouble is TokenCore {}

contract LoopingSymbolTokenDouble is TokenCore {
    string public constant name = "Looping Symbol";
    uint8 public constant decimals = 18;

    function symbol() external pure returns (string memory) {
        assembly ("memory-safe") {
            for { } 1 { } { }
        }
    }
}

// Not one of its three metadata functions leaves any gas.
contract InvalidMetadataTokenDouble is TokenCore {
    function name() external pure returns (string memory) {
        _burn();
    }

    function symbol() external pure returns (string memory) {
        _burn();
    }

    function decimals() external pure returns (uint8) {
        _burn();
    }

    function _burn() private pure {
        assembly ("memory-safe") {
            invalid()
        }
    }
}
