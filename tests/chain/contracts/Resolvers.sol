// SPDX-License-Identifier: MIT OR Apache-2.0
// Resolvers of the test chain beside the real public one: for whole subtrees (ENSIP-10), for answers from outside
// (EIP-3668), for primary names of other networks (ENSIP-19), and those that do what no resolver should.
pragma solidity ^0.8.30;

error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

// What resolvers that answer for names below their own have in common.
abstract contract ExtendedResolver {
    bytes4 internal constant ADDR = 0x3b3b57de; // addr(bytes32)
    bytes4 internal constant COIN_ADDR = 0xf1cb7e06; // addr(bytes32,uint256)
    bytes4 internal constant NAME = 0x691f3431; // name(bytes32)

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x9061b923;
    }

    function resolve(bytes calldata name, bytes calldata data) external view virtual returns (bytes memory);

    function namehash(bytes calldata name) internal pure returns (bytes32) {
        uint256 length = uint8(name[0]);
        if (length == 0) {
            require(name.length == 1, "bytes after the name");
            return 0;
        }
        return keccak256(abi.encode(namehash(name[length + 1:]), keccak256(name[1:length + 1])));
    }

    // The question has to be about the name.
    modifier consistent(bytes calldata name, bytes calldata data) {
        require(bytes32(data[4:36]) == namehash(name), "another name's node");
        _;
    }
}

// Whatever is read below its name, the answer follows from the name: the first 20 bytes of its hash, and for another
// coin of its hash together with the coin's number.
contract WildcardResolverDouble is ExtendedResolver {
    function resolve(bytes calldata name, bytes calldata data)
        external view override consistent(name, data) returns (bytes memory)
    {
        if (bytes4(data) == ADDR) return abi.encode(address(bytes20(keccak256(name))));
        require(bytes4(data) == COIN_ADDR, "no such record");
        uint256 coin = uint256(bytes32(data[36:68]));
        return abi.encode(abi.encodePacked(coin == 60 ? bytes20(keccak256(name)) : bytes20(keccak256(abi.encode(name, coin)))));
    }
}

// Whatever is read below its name, gateways answer. It believes those that prove that they got this question.
contract OffchainResolverDouble is ExtendedResolver {
    struct Way {
        string[] urls;
        uint256 lookups; // Until the callback takes an answer instead of requesting again.
        address sender; // That the lookup names instead of itself, unless 0.
        bytes4 callback; // That the lookup names instead of its own, unless 0.
    }

    mapping(bytes32 => Way) private ways;

    function setWay(bytes32 node, Way calldata way) external {
        ways[node] = way;
    }

    function resolve(bytes calldata name, bytes calldata data)
        external view override consistent(name, data) returns (bytes memory)
    {
        lookUp(namehash(name), abi.encodeCall(this.resolve, (name, data)), 1);
    }

    // A response is `abi.encode(result, proof)`.
    function answered(bytes calldata response, bytes calldata extraData) external view returns (bytes memory) {
        (bytes32 node, bytes memory question, uint256 done) = abi.decode(extraData, (bytes32, bytes, uint256));
        (bytes memory result, bytes32 proof) = abi.decode(response, (bytes, bytes32));
        require(proof == keccak256(abi.encode(keccak256(question), result)), "a wrong proof");
        if (done < ways[node].lookups) lookUp(node, question, done + 1);
        return result;
    }

    function lookUp(bytes32 node, bytes memory question, uint256 number) private view {
        Way storage way = ways[node];
        require(way.urls.length > 0, "no gateway");
        revert OffchainLookup(
            way.sender == address(0) ? address(this) : way.sender,
            way.urls,
            question,
            way.callback == 0 ? this.answered.selector : way.callback,
            abi.encode(node, question, number)
        );
    }
}

// Primary names: `[address].[coin type in hex].reverse`, and where a network's own is not set, the default one.
contract ReverseResolverDouble is ExtendedResolver {
    uint256 private constant ETHER = 60;
    uint256 private constant DEFAULT = 0x80000000;

    mapping(uint256 => mapping(address => string)) private names;

    function setName(uint256 coin, address account, string calldata name) external {
        names[coin][account] = name;
    }

    function resolve(bytes calldata name, bytes calldata data)
        external view override consistent(name, data) returns (bytes memory)
    {
        require(bytes4(data) == NAME, "no such record");
        require(uint8(name[0]) == 40, "no address");
        address account = address(uint160(hexadecimal(name[1:41])));
        bytes calldata space = name[42:42 + uint8(name[41])];
        uint256 coin = hexadecimal(space);
        if (keccak256(space) == keccak256("addr")) coin = ETHER;
        if (keccak256(space) == keccak256("default")) coin = DEFAULT;
        string memory own = names[coin][account];
        return abi.encode(bytes(own).length > 0 ? own : names[DEFAULT][account]);
    }

    function hexadecimal(bytes calldata digits) private pure returns (uint256 value) {
        for (uint256 i = 0; i < digits.length; i++) {
            uint8 digit = uint8(digits[i]);
            value = value * 16 + (digit < 0x3a ? digit - 0x30 : digit - 0x57);
        }
    }
}

// Does with a question about a name what was set for it.
contract HostileResolverDouble {
    enum Deed { Nothing, Revert, BurnAllGas, Megabytes, CutWord, DirtyWord, NoBytes, CutLookup, LongAddress, NoText }

    mapping(bytes32 => Deed) private deeds;

    error Unheard(uint256 number);

    function setDeed(bytes32 node, Deed deed) external {
        deeds[node] = deed;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7;
    }

    fallback() external {
        Deed deed = deeds[bytes32(msg.data[4:36])];
        if (deed == Deed.Revert) revert Unheard(1);
        if (deed == Deed.BurnAllGas) while (true) {}
        if (deed == Deed.Megabytes) finish(3 << 20);
        if (deed == Deed.CutWord) finish(19);
        if (deed == Deed.NoBytes) finish(0);
        bytes memory returned = abi.encode(uint256(0));
        if (deed == Deed.DirtyWord) returned = abi.encode(type(uint256).max);
        if (deed == Deed.LongAddress) returned = abi.encode(hex"112233445566778899aabbccddeeff001122334455"); // 21 bytes.
        if (deed == Deed.NoText) returned = abi.encode(hex"fffe2e657468"); // No UTF-8.
        if (deed == Deed.CutLookup) {
            assembly {
                mstore(0, 0x556f183000000000000000000000000000000000000000000000000000000000)
                revert(0, 36)
            }
        }
        assembly {
            return(add(returned, 32), mload(returned))
        }
    }

    function finish(uint256 length) private pure {
        assembly {
            mstore(0, not(0))
            return(0, length)
        }
    }
}
