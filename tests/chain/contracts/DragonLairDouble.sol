// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands for QuickSwap's DragonLair, whose bytecode no package holds: QUICK goes
// in, dQUICK shares come out, and QUICK sent to it makes every share worth more.
pragma solidity ^0.8.30;

import "./Tokens.sol";

contract DragonLairDouble {
    string public constant name = "Dragon QUICK";
    string public constant symbol = "dQUICK";
    uint8 public constant decimals = 18;

    TokenCore public quick;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(TokenCore quick_) {
        quick = quick_;
    }

    function enter(uint256 _quickAmount) external {
        uint256 shares = QUICKForDQUICK(_quickAmount);
        totalSupply += shares;
        balanceOf[msg.sender] += shares;
        emit Transfer(address(0), msg.sender, shares);
        quick.transferFrom(msg.sender, address(this), _quickAmount);
    }

    function leave(uint256 _dQuickAmount) external {
        uint256 redeemed = dQUICKForQUICK(_dQuickAmount);
        balanceOf[msg.sender] -= _dQuickAmount;
        totalSupply -= _dQuickAmount;
        emit Transfer(msg.sender, address(0), _dQuickAmount);
        quick.transfer(msg.sender, redeemed);
    }

    function QUICKBalance(address _account) external view returns (uint256 quickAmount_) {
        return dQUICKForQUICK(balanceOf[_account]);
    }

    // Divides by the supply: reverts while nobody is in the lair, as the real one does.
    function dQUICKForQUICK(uint256 _dQuickAmount) public view returns (uint256 quickAmount_) {
        return _dQuickAmount * quick.balanceOf(address(this)) / totalSupply;
    }

    function QUICKForDQUICK(uint256 _quickAmount) public view returns (uint256 dQuickAmount_) {
        uint256 held = quick.balanceOf(address(this));
        if (totalSupply == 0 || held == 0) return _quickAmount;
        return _quickAmount * totalSupply / held;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        return _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) private returns (bool) {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }
}
