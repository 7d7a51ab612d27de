//! The ENS contracts that names are read from; only the functions that are called.

use alloy::sol;

sol! {
    /// <https://docs.ens.domains/registry/ens>
    interface Registry {
        function resolver(bytes32 node) external view returns (address);
    }

    /// Records by ENSIP-1, 3, 5 and 9; the last two functions are ENSIP-10's. <https://docs.ens.domains/ensip/10>
    interface Resolver {
        function addr(bytes32 node) external view returns (address);
        function addr(bytes32 node, uint256 coinType) external view returns (bytes memory);
        function name(bytes32 node) external view returns (string memory);
        function text(bytes32 node, string calldata key) external view returns (string memory);
        function supportsInterface(bytes4 interfaceId) external view returns (bool);
        function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory);
    }

    /// <https://docs.ens.domains/resolvers/universal>
    interface UniversalResolver {
        error ResolverNotFound(bytes name);
        error ResolverNotContract(bytes name, address resolver);
        error UnsupportedResolverProfile(bytes4 selector);
        error ResolverError(bytes errorData);
        error HttpError(uint16 status, string message);

        function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata gateways)
            external view returns (bytes memory result, address resolver);
    }

    /// <https://docs.ens.domains/registry/eth>
    interface BaseRegistrar {
        function nameExpires(uint256 id) external view returns (uint256);
    }

    /// <https://docs.ens.domains/ensip/21>
    interface BatchGateway {
        error HttpError(uint16 status, string message);
        error Error(string reason);

        struct Request {
            address sender;
            string[] urls;
            bytes data;
        }

        function query(Request[] memory requests)
            external view returns (bool[] memory failures, bytes[] memory responses);
    }

    /// <https://eips.ethereum.org/EIPS/eip-3668>
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
}
