// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Maker's core, which Lista's vaults have too, its manager of vaults with the lister and the registry of proxies,
// and for Sky's staking engine; no package holds their bytecode. Views, fees and roundings are those of the real ones;
// joins, auctions, ceilings and voting are left out, and who may call what is not checked, since the build script is the
// only author.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

uint256 constant RAY = 1e27;

contract VatDouble {
    struct Ilk {
        uint256 Art;
        uint256 rate;
        uint256 spot;
        uint256 line;
        uint256 dust;
    }

    struct Urn {
        uint256 ink;
        uint256 art;
    }

    mapping(bytes32 => Ilk) public ilks;
    mapping(bytes32 => mapping(address => Urn)) public urns;

    function init(bytes32 ilk, uint256 spot) external {
        (ilks[ilk].rate, ilks[ilk].spot) = (RAY, spot);
    }

    function frob(bytes32 ilk, address urn, uint256 ink, uint256 art) external {
        urns[ilk][urn].ink += ink;
        urns[ilk][urn].art += art;
        ilks[ilk].Art += art;
    }

    function fold(bytes32 ilk, uint256 rate) external {
        ilks[ilk].rate = rate;
    }
}

contract JugDouble {
    struct Ilk {
        uint256 duty;
        uint256 rho;
    }

    VatDouble private immutable vat;
    uint256 public base;
    mapping(bytes32 => Ilk) public ilks;

    constructor(VatDouble vat_) {
        vat = vat_;
    }

    function init(bytes32 ilk, uint256 duty) external {
        ilks[ilk] = Ilk(duty, block.timestamp);
    }

    function drip(bytes32 ilk) external returns (uint256 rate) {
        (, rate,,,) = vat.ilks(ilk);
        uint256 fee = base + ilks[ilk].duty;
        // By squares, as the real one does it.
        for (uint256 n = block.timestamp - ilks[ilk].rho; n > 0; n /= 2) {
            if (n % 2 == 1) rate = (rate * fee) / RAY;
            if (n > 1) fee = (fee * fee + RAY / 2) / RAY;
        }
        vat.fold(ilk, rate);
        ilks[ilk].rho = block.timestamp;
    }
}

contract SpotterDouble {
    struct Ilk {
        address pip;
        uint256 mat;
    }

    mapping(bytes32 => Ilk) public ilks;

    function init(bytes32 ilk, uint256 mat) external {
        ilks[ilk].mat = mat;
    }
}

// Lista's entrance to a core: an account's vaults are its own urns, and the debt grows by the core's jug.
contract InteractionDouble {
    struct CollateralType {
        address gem;
        bytes32 ilk;
        uint32 live;
        address clip;
    }

    VatDouble public vat;
    JugDouble public jug;
    SpotterDouble public spotter;
    TokenCore public hay;
    mapping(address => CollateralType) public collaterals;

    constructor(VatDouble vat_, JugDouble jug_, SpotterDouble spotter_, TokenCore hay_) {
        (vat, jug, spotter, hay) = (vat_, jug_, spotter_, hay_);
    }

    function setCollateralType(address token, bytes32 ilk, uint32 live) external {
        collaterals[token] = CollateralType(token, ilk, live, address(0));
    }

    function deposit(address participant, address token, uint256 ink, uint256 art) external {
        vat.frob(collaterals[token].ilk, participant, ink, art);
    }
}

contract IlkRegistryDouble {
    mapping(bytes32 => address) public gem;
    mapping(bytes32 => uint256) public dec;

    function put(bytes32 ilk, address token, uint256 decimals) external {
        (gem[ilk], dec[ilk]) = (token, decimals);
    }
}

contract CdpManagerDouble {
    VatDouble public vat;
    uint256 public cdpi;
    mapping(uint256 => address) public urns;
    mapping(uint256 => bytes32) public ilks;
    mapping(address => uint256[]) private owned;

    constructor(VatDouble vat_) {
        vat = vat_;
    }

    function open(bytes32 ilk, address owner, uint256 ink, uint256 art) external {
        uint256 id = ++cdpi;
        urns[id] = address(uint160(uint256(keccak256(abi.encode(id)))));
        ilks[id] = ilk;
        owned[owner].push(id);
        vat.frob(ilk, urns[id], ink, art);
    }

    function count(address owner) external view returns (uint256) {
        return owned[owner].length;
    }

    function all(address owner) external view returns (uint256[] memory) {
        return owned[owner];
    }
}

contract GetCdpsDouble {
    function getCdpsAsc(CdpManagerDouble manager, address owner)
        external
        view
        returns (uint256[] memory ids, address[] memory urns, bytes32[] memory ilks)
    {
        ids = manager.all(owner);
        (urns, ilks) = (new address[](ids.length), new bytes32[](ids.length));
        for (uint256 i = 0; i < ids.length; i++) {
            (urns[i], ilks[i]) = (manager.urns(ids[i]), manager.ilks(ids[i]));
        }
    }
}

contract ProxyDouble {
    address public owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function setOwner(address owner_) external {
        require(msg.sender == owner);
        owner = owner_;
    }
}

contract ProxyRegistryDouble {
    mapping(address => ProxyDouble) public proxies;

    function build() external {
        proxies[msg.sender] = new ProxyDouble(msg.sender);
    }
}

interface RewardsFarm {
    function stake(uint256 amount) external;
    function getReward() external;
    function earned(address account) external view returns (uint256);
    function rewardsToken() external view returns (TokenCore);
}

// Acts in a farm for its owner.
contract LockstakeUrnDouble {
    address private immutable engine = msg.sender;

    function stake(TokenCore token, RewardsFarm farm, uint256 amount) external {
        token.approve(address(farm), amount);
        farm.stake(amount);
    }

    function getReward(RewardsFarm farm, address to) external returns (uint256 amount) {
        require(msg.sender == engine, "LockstakeUrn/not-engine");
        farm.getReward();
        amount = farm.rewardsToken().balanceOf(address(this));
        farm.rewardsToken().transfer(to, amount);
    }
}

contract LockstakeEngineDouble {
    VatDouble public vat;
    JugDouble public jug;
    bytes32 public ilk;
    TokenCore public sky;
    TokenCore public usds;
    TokenCore private lssky;
    mapping(address => uint256) public ownerUrnsCount;
    mapping(address => mapping(uint256 => LockstakeUrnDouble)) public ownerUrns;
    mapping(LockstakeUrnDouble => RewardsFarm) public urnFarms;

    constructor(VatDouble vat_, JugDouble jug_, bytes32 ilk_, TokenCore sky_, TokenCore usds_, TokenCore lssky_) {
        (vat, jug, ilk, sky, usds, lssky) = (vat_, jug_, ilk_, sky_, usds_, lssky_);
    }

    function open() external {
        ownerUrns[msg.sender][ownerUrnsCount[msg.sender]++] = new LockstakeUrnDouble();
    }

    function lock(uint256 index, uint256 amount, uint256 drawn, RewardsFarm farm) external {
        LockstakeUrnDouble urn = ownerUrns[msg.sender][index];
        sky.transferFrom(msg.sender, address(this), amount);
        vat.frob(ilk, address(urn), amount, drawn);
        usds.mint(msg.sender, drawn);
        lssky.mint(address(urn), amount);
        urn.stake(lssky, farm, amount);
        urnFarms[urn] = farm;
    }

    function getReward(address owner, uint256 index, RewardsFarm farm, address to) external returns (uint256) {
        require(owner == msg.sender, "LockstakeEngine/urn-not-authorized");
        return ownerUrns[owner][index].getReward(farm, to);
    }
}
