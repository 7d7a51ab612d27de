// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// A plain ERC-20 without anything that would make reading it cheaper or dearer than reading others.
contract Token {
    mapping(address => uint256) private balances;                       // slot 0
    mapping(address => mapping(address => uint256)) private allowances; // slot 1
    uint256 public totalSupply;                                         // slot 2
    string public name;                                                 // slot 3
    string public symbol;                                               // slot 4

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return balances[owner];
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return allowances[owner][spender];
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowances[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowances[from][msg.sender] -= amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) private {
        balances[from] -= amount;
        balances[to] += amount;
        emit Transfer(from, to, amount);
    }
}
