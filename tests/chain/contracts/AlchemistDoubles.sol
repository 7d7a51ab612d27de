// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for an alchemist of Alchemix v3, its NFT and the vault of its shares, written from their code; no
// package holds their bytecode. What was redeemed and what shares are worth is set; fees, liquidations and checks of
// what a position may borrow are left out.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

contract MixedYieldDouble is TokenDouble {
    TokenDouble public immutable asset;
    uint256 private sharePrice = 1e18;

    constructor(TokenDouble asset_) TokenDouble("Mix ETH", "mixWETH", 18) {
        asset = asset_;
    }

    function setSharePrice(uint256 price) external {
        sharePrice = price;
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return (shares * sharePrice) / 1e18;
    }

    function previewRedeem(uint256 shares) external view returns (uint256) {
        return convertToAssets(shares);
    }

    function redeem(uint256 shares, address receiver, address owner) external {
        require(owner == msg.sender, "not its owner");
        (balanceOf[owner], totalSupply) = (balanceOf[owner] - shares, totalSupply - shares);
        asset.transfer(receiver, convertToAssets(shares));
    }
}

// An ERC-721 that lists its tokens by owner.
contract AlchemistNFTDouble {
    mapping(address => uint256[]) private owned;
    mapping(uint256 => address) public ownerOf;
    uint256 private last;

    function mint(address to) external returns (uint256) {
        owned[to].push(++last);
        ownerOf[last] = to;
        return last;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return owned[owner].length;
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        return owned[owner][index];
    }
}

contract AlchemistDouble {
    struct Account {
        uint256 collateral;
        uint256 debt;
        uint256 earmarked;
    }

    AlchemistNFTDouble public immutable alchemistPositionNFT = new AlchemistNFTDouble();
    MixedYieldDouble public immutable myt;
    TokenDouble public immutable debtToken;
    uint256 public constant collateralizationLowerBound = 125e16;
    mapping(uint256 => Account) public getCDP;

    constructor(MixedYieldDouble myt_, TokenDouble debtToken_) {
        (myt, debtToken) = (myt_, debtToken_);
    }

    function deposit(uint256 amount, address recipient) external {
        myt.transferFrom(msg.sender, address(this), amount);
        getCDP[alchemistPositionNFT.mint(recipient)].collateral = amount;
    }

    function mint(uint256 tokenId, uint256 amount, address recipient) external {
        require(alchemistPositionNFT.ownerOf(tokenId) == msg.sender, "not its owner");
        getCDP[tokenId].debt += amount;
        debtToken.mint(recipient, amount);
    }

    // Debt that is paid off with shares of the position.
    function redeem(uint256 tokenId, uint256 debt, uint256 shares) external {
        getCDP[tokenId].debt -= debt;
        getCDP[tokenId].collateral -= shares;
    }

    // Debts stand in the vault's token, one for one.
    function totalValue(uint256 tokenId) external view returns (uint256) {
        return myt.convertToAssets(getCDP[tokenId].collateral);
    }

    function withdraw(uint256 amount, address recipient, uint256 tokenId) external {
        require(alchemistPositionNFT.ownerOf(tokenId) == msg.sender && getCDP[tokenId].debt == 0, "not so");
        getCDP[tokenId].collateral -= amount;
        myt.transfer(recipient, amount);
    }
}
