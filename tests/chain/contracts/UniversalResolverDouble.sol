// SPDX-License-Identifier: MIT OR Apache-2.0
// A universal resolver by ENSIP-23, written from its interface: finds the resolver of a name, calls it, and hands what
// has to be looked up outside to batch gateways (ENSIP-21). Names may have moved to a newer registry, as they do with
// ENSv2: that one counts.
pragma solidity ^0.8.30;

import {OffchainLookup} from "Resolvers.sol";

interface NameRegistry {
    function resolver(bytes32 node) external view returns (address);
}

contract UniversalResolverDouble {
    error ResolverNotFound(bytes name);
    error ResolverNotContract(bytes name, address resolver);
    error UnsupportedResolverProfile(bytes4 selector);
    error ResolverError(bytes errorData);
    error ReverseAddressMismatch(string primary, bytes primaryAddress);

    struct Request {
        address sender;
        string[] urls;
        bytes data;
    }

    enum Step { Forward, ReverseName, ReverseAddress }

    // A question under way, and what is to be done with its answer.
    struct Question {
        Step step;
        address resolver;
        bool extended;
        bytes4 profile;
        string[] gateways;
        bytes lookupAddress;
        uint256 coinType;
        address reverseResolver;
        string primary;
    }

    bytes4 private constant EXTENDED = 0x9061b923; // resolve(bytes,bytes), and the interface of it alone.
    bytes4 private constant ADDR = 0x3b3b57de; // addr(bytes32)
    bytes4 private constant COIN_ADDR = 0xf1cb7e06; // addr(bytes32,uint256)
    bytes4 private constant NAME = 0x691f3431; // name(bytes32)
    bytes4 private constant QUERY = bytes4(keccak256("query((address,string[],bytes)[])"));
    uint256 private constant ETHER = 60;
    uint256 private constant DEFAULT = 0x80000000;
    uint256 private constant INTERFACE_GAS = 30_000; // By ERC-165.

    NameRegistry private immutable registry;
    NameRegistry private immutable newer;

    constructor(NameRegistry registry_, NameRegistry newer_) {
        registry = registry_;
        newer = newer_;
    }

    function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory, address) {
        forward(name, data, batchGateways());
    }

    function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata gateways)
        external view returns (bytes memory, address)
    {
        forward(name, data, gateways);
    }

    function reverse(bytes calldata lookupAddress, uint256 coinType)
        external view returns (string memory, address, address)
    {
        backward(lookupAddress, coinType, batchGateways());
    }

    function reverseWithGateways(bytes calldata lookupAddress, uint256 coinType, string[] calldata gateways)
        external view returns (string memory, address, address)
    {
        backward(lookupAddress, coinType, gateways);
    }

    // The batch gateways' answer: for each request whether it failed, and what came back.
    function answered(bytes calldata response, bytes calldata extraData) external view returns (bytes memory) {
        (Question memory question, bytes4 callback, bytes memory extra) = abi.decode(extraData, (Question, bytes4, bytes));
        (bool[] memory failed, bytes[] memory responses) = abi.decode(response, (bool[], bytes[]));
        if (failed[0]) fail(responses[0]);
        call(question, abi.encodeWithSelector(callback, responses[0], extra));
    }

    function findResolver(bytes memory name) public view returns (address resolver, bytes32 node, uint256 offset) {
        for (; name[offset] != 0; offset += uint256(uint8(name[offset])) + 1) {
            resolver = newer.resolver(namehash(name, offset));
            if (resolver == address(0)) resolver = registry.resolver(namehash(name, offset));
            if (resolver != address(0)) break;
        }
        node = namehash(name, 0);
    }

    function forward(bytes memory name, bytes memory data, string[] memory gateways) private view {
        Question memory question;
        question.gateways = gateways;
        query(question, name, data);
    }

    function backward(bytes memory lookupAddress, uint256 coinType, string[] memory gateways) private view {
        Question memory question;
        question.step = Step.ReverseName;
        question.gateways = gateways;
        question.lookupAddress = lookupAddress;
        question.coinType = coinType;
        bytes memory name = reverseName(lookupAddress, coinType);
        query(question, name, abi.encodeWithSelector(NAME, namehash(name, 0)));
    }

    function query(Question memory question, bytes memory name, bytes memory data) private view {
        (address resolver,, uint256 offset) = findResolver(name);
        if (resolver == address(0)) revert ResolverNotFound(name);
        question.extended = isExtended(resolver);
        if (!question.extended && offset > 0) revert ResolverNotFound(name);
        if (resolver.code.length == 0) revert ResolverNotContract(name, resolver);
        question.resolver = resolver;
        question.profile = bytes4(data);
        call(question, question.extended ? abi.encodeWithSelector(EXTENDED, name, data) : data);
    }

    function call(Question memory question, bytes memory data) private view {
        (bool well, bytes memory returned) = question.resolver.staticcall(data);
        if (!well) {
            if (bytes4(returned) == OffchainLookup.selector) lookUp(question, returned);
            revert ResolverError(returned);
        }
        if (returned.length == 0) revert UnsupportedResolverProfile(question.profile);
        go(question, question.extended ? abi.decode(returned, (bytes)) : returned);
    }

    // Returns only where the lookup is not the resolver's own.
    function lookUp(Question memory question, bytes memory returned) private view {
        (address sender, string[] memory urls, bytes memory data, bytes4 callback, bytes memory extra) =
            abi.decode(withoutSelector(returned), (address, string[], bytes, bytes4, bytes));
        if (sender != question.resolver) return;
        Request[] memory requests = new Request[](1);
        requests[0] = Request(sender, urls, data);
        revert OffchainLookup(
            address(this),
            question.gateways,
            abi.encodeWithSelector(QUERY, requests),
            this.answered.selector,
            abi.encode(question, callback, extra)
        );
    }

    function go(Question memory question, bytes memory returned) private view {
        if (question.step == Step.Forward) finish(abi.encode(returned, question.resolver));
        if (question.step == Step.ReverseName) queryBack(question, abi.decode(returned, (string)));
        bytes memory found =
            question.coinType == ETHER ? abi.encodePacked(abi.decode(returned, (address))) : abi.decode(returned, (bytes));
        if (keccak256(found) != keccak256(question.lookupAddress)) revert ReverseAddressMismatch(question.primary, found);
        finish(abi.encode(question.primary, question.resolver, question.reverseResolver));
    }

    // The name itself says whether the name of the reverse record is an account's.
    function queryBack(Question memory question, string memory primary) private view {
        if (bytes(primary).length == 0) finish(abi.encode("", address(0), question.resolver));
        question.step = Step.ReverseAddress;
        question.primary = primary;
        question.reverseResolver = question.resolver;
        bytes memory name = encoded(bytes(primary));
        bytes32 node = namehash(name, 0);
        query(question, name, question.coinType == ETHER
            ? abi.encodeWithSelector(ADDR, node)
            : abi.encodeWithSelector(COIN_ADDR, node, question.coinType));
    }

    function batchGateways() private pure returns (string[] memory gateways) {
        gateways = new string[](1);
        gateways[0] = "x-batch-gateway:true";
    }

    function isExtended(address resolver) private view returns (bool) {
        (bool well, bytes memory returned) =
            resolver.staticcall{gas: INTERFACE_GAS}(abi.encodeWithSelector(0x01ffc9a7, EXTENDED));
        return well && returned.length >= 32 && abi.decode(returned, (uint256)) == 1;
    }

    function reverseName(bytes memory lookupAddress, uint256 coinType) private pure returns (bytes memory) {
        bytes memory space = coinType == ETHER ? bytes("addr") : coinType == DEFAULT ? bytes("default") : shortHex(coinType);
        bytes memory digits = hexadecimal(lookupAddress);
        return abi.encodePacked(uint8(digits.length), digits, uint8(space.length), space, "\x07reverse\x00");
    }

    function shortHex(uint256 value) private pure returns (bytes memory digits) {
        bytes memory all = hexadecimal(abi.encode(value));
        uint256 zeros = 0;
        while (all[zeros] == "0") zeros++;
        digits = new bytes(all.length - zeros);
        for (uint256 i = 0; i < digits.length; i++) digits[i] = all[zeros + i];
    }

    function hexadecimal(bytes memory data) private pure returns (bytes memory digits) {
        digits = new bytes(2 * data.length);
        for (uint256 i = 0; i < digits.length; i++) {
            digits[i] = bytes16("0123456789abcdef")[i % 2 == 0 ? uint8(data[i / 2]) >> 4 : uint8(data[i / 2]) & 15];
        }
    }

    // From "alice.eth" to the labels with their lengths before them.
    function encoded(bytes memory text) private pure returns (bytes memory name) {
        name = abi.encodePacked(uint8(0), text, uint8(0));
        uint256 start = 0;
        for (uint256 i = 1; i < name.length; i++) {
            if (name[i] != "." && i + 1 != name.length) continue;
            uint256 length = i - start - 1;
            require(length > 0 && length < 256, "no such label");
            name[start] = bytes1(uint8(length));
            start = i;
        }
    }

    function namehash(bytes memory name, uint256 offset) private pure returns (bytes32) {
        uint256 length = uint8(name[offset]);
        if (length == 0) return 0;
        bytes32 label;
        assembly {
            label := keccak256(add(add(name, 33), offset), length)
        }
        return keccak256(abi.encode(namehash(name, offset + length + 1), label));
    }

    function withoutSelector(bytes memory returned) private pure returns (bytes memory rest) {
        rest = new bytes(returned.length - 4);
        for (uint256 i = 0; i < rest.length; i++) rest[i] = returned[i + 4];
    }

    function fail(bytes memory data) private pure {
        assembly {
            revert(add(data, 32), mload(data))
        }
    }

    function finish(bytes memory data) private pure {
        assembly {
            return(add(data, 32), mload(data))
        }
    }
}
