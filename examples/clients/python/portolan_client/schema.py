# Made of /openapi.json by datamodel-codegen. Do not edit.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from portolan_client.amount import Amount

Address: TypeAlias = str


class ApprovalForAllEventMetadata(TypedDict):
    approved: bool | None
    collection: Address | None
    operator: Address | None
    owner: Address | None


class Argument(TypedDict):
    typeAsString: str
    value: str


class BudgetShare(TypedDict):
    max: int
    used: int


Caip10: TypeAlias = str


Caip19: TypeAlias = str


Caip2: TypeAlias = str


ChecksummedAddress: TypeAlias = str


class ClaimCounts(TypedDict):
    detail: str
    tried: int
    untried: int


class ClearSigningContract(TypedDict):
    address: ChecksummedAddress
    chainId: int


class ClearSigningContracts(TypedDict):
    deployments: list[ClearSigningContract]


class ClearSigningInfo(TypedDict):
    url: str


class ClearSigningMetadata(TypedDict):
    info: NotRequired[ClearSigningInfo]
    owner: str


class ClearSigningParams(TypedDict):
    types: list[str]


ClearSigningValue: TypeAlias = bool | int | str


class ClearSigningValues(TypedDict):
    mustMatch: list[ClearSigningValue]


ClearSigningVisibility: TypeAlias = str | ClearSigningValues


class Company(TypedDict):
    name: str
    slug: str


class CurrencyRate(TypedDict):
    ageSeconds: int | None
    code: str
    contracts: list[str]
    dollars: Amount | None
    network: str | None
    source: str | None


Data: TypeAlias = str


class DelegateEventMetadata(TypedDict):
    contract: Address | None
    delegator: Address | None
    fromDelegate: Address | None
    toDelegate: Address | None


Digits: TypeAlias = str


class FailedJob(TypedDict):
    detail: str
    network: str
    protocol: str
    reason: str


class FunctionParameter(TypedDict):
    typeAsString: str
    value: str


class GasEventMetadata(TypedDict):
    cost: Amount | None
    costRaw: NotRequired[Digits]
    payer: Address | None
    recipient: Address | None


Hash: TypeAlias = str


class InCurrency(TypedDict):
    netValue: NotRequired[Amount | None]
    price: NotRequired[Amount | None]
    value: Amount | None


JobStatus: TypeAlias = Literal['ok', 'partial', 'failed']


class LeftOut(TypedDict):
    claimId: str
    reason: str


LegRole: TypeAlias = Literal['supplied', 'borrowed', 'staked', 'pooled', 'locked', 'vesting', 'rewardOwed', 'feeOwed']


class LiquidationPrice(TypedDict):
    base: str | None
    price: Amount | None
    quote: str | None


LoanSide: TypeAlias = Literal['supply', 'borrow']


class Log(TypedDict):
    address: Address
    data: Data
    logIndex: int
    topics: list[Hash]


class NameRegisteredEventMetadata(TypedDict):
    cost: Amount | None
    costRaw: NotRequired[Digits]
    expires: int | Amount | None
    name: str | None
    owner: Address | None


class NameRenewedEventMetadata(TypedDict):
    cost: Amount | None
    costRaw: NotRequired[Digits]
    expires: int | Amount | None
    name: str | None


class Network(TypedDict):
    caip2: NotRequired[Caip2]
    chainId: int
    logo: str
    name: str


class NetworkRow(TypedDict):
    caip2: NotRequired[Caip2]
    logo: str
    name: str
    slug: str


class Nft(TypedDict):
    collection: Address
    tokenId: Digits


class NftApprovalEventMetadata(TypedDict):
    collection: Address | None
    owner: Address | None
    spender: Address | None
    tokenId: Digits | None


NftTransferEventMetadata = TypedDict(
    'NftTransferEventMetadata',
    {
        'collection': Address | None,
        'from': Address | None,
        'to': Address | None,
        'tokenId': Digits | None,
    },
)


class OffChainDocument(TypedDict):
    ageSeconds: int
    host: str


PaidTo: TypeAlias = Literal['account', 'lock', 'vault']


class PluginVersion(TypedDict):
    name: str
    version: str


PositionKind: TypeAlias = Literal['lent', 'borrowed', 'staked', 'pooled', 'locked', 'vesting']


class PriceRange(TypedDict):
    base: str | None
    isInRange: bool | None
    lower: Amount | None
    quote: str | None
    upper: Amount | None


ProblemType: TypeAlias = Literal['urn:portolan:problem:answer-too-large', 'urn:portolan:problem:deadline', 'urn:portolan:problem:host-not-allowed', 'urn:portolan:problem:internal', 'urn:portolan:problem:invalid-address', 'urn:portolan:problem:invalid-block', 'urn:portolan:problem:invalid-filter', 'urn:portolan:problem:invalid-hash', 'urn:portolan:problem:invalid-name', 'urn:portolan:problem:invalid-network', 'urn:portolan:problem:invalid-request', 'urn:portolan:problem:method-not-allowed', 'urn:portolan:problem:name-not-found', 'urn:portolan:problem:network-not-configured', 'urn:portolan:problem:origin-not-allowed', 'urn:portolan:problem:over-budget', 'urn:portolan:problem:overloaded', 'urn:portolan:problem:protocol-unavailable', 'urn:portolan:problem:request-too-large', 'urn:portolan:problem:state-unavailable', 'urn:portolan:problem:too-many-events', 'urn:portolan:problem:too-many-logs', 'urn:portolan:problem:too-many-requests', 'urn:portolan:problem:transaction-not-found', 'urn:portolan:problem:unauthorized', 'urn:portolan:problem:unknown-block', 'urn:portolan:problem:unknown-parameter', 'urn:portolan:problem:unknown-path', 'urn:portolan:problem:unknown-protocol', 'urn:portolan:problem:upstream']


class Protocol(TypedDict):
    company: NotRequired[Company]
    logo: str
    name: str
    primitives: list[str]
    slug: str
    website: str


class ProvenanceRead(TypedDict):
    ageSeconds: int
    arguments: list[Argument] | None
    cached: bool
    contract: Address
    data: Data
    function: str | None


Quantity: TypeAlias = str


Question: TypeAlias = Literal['claimables', 'farming', 'lending', 'events', 'composition', 'pooling', 'locked']


Reach: TypeAlias = Literal['whole', 'part', 'nothing']


Reason: TypeAlias = Literal['crashed', 'disabled', 'history', 'invalid-output', 'invalid-reply', 'name-not-found', 'not-allowed', 'not-configured', 'not-covered', 'over-budget', 'plugin-error', 'quarantined', 'rejected', 'stale', 'state-unavailable', 'timeout', 'unknown-block', 'upstream', 'wrong-chain']


class RemoteNetworkRemoteNetwork(TypedDict):
    caip2: NotRequired[Caip2]
    chainId: int
    logo: None
    name: None


RemoteNetwork: TypeAlias = Network | RemoteNetworkRemoteNetwork


ResolvedBy: TypeAlias = Literal['universal-resolver', 'registry']


class SafeExecutionEventMetadata(TypedDict):
    contract: Address | None
    success: bool | None
    transactionHash: Hash | None


class SafeExecutionEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: SafeExecutionEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['SAFE_EXECUTION']


class SafeOwnerAddedEventMetadata(TypedDict):
    contract: Address | None
    owner: Address | None


class SafeOwnerAddedEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: SafeOwnerAddedEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['SAFE_OWNER_ADDED']


class SafeOwnerRemovedEventMetadata(TypedDict):
    contract: Address | None
    owner: Address | None


class SafeOwnerRemovedEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: SafeOwnerRemovedEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['SAFE_OWNER_REMOVED']


class SafeThresholdEventMetadata(TypedDict):
    contract: Address | None
    threshold: Digits | None


class SafeThresholdEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: SafeThresholdEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['SAFE_THRESHOLD']


SimulationMethod: TypeAlias = Literal['override', 'eth_simulateV1', 'eth_call']


class Spender(TypedDict):
    address: Address
    name: str | None
    protocol: Protocol | None


class Sums(TypedDict):
    assets: Amount | None
    claimable: Amount | None
    debts: Amount | None
    net: Amount | None


TargetSource: TypeAlias = Literal['listed', 'settings', 'factory']


TokenAddress: TypeAlias = str


class TokenFlow(TypedDict):
    amount: Amount | None
    amountRaw: Digits
    symbol: str | None
    tokenAddress: TokenAddress


class Totals(TypedDict):
    assets: Amount | None
    claimable: Amount | None
    debts: Amount | None
    inCurrency: NotRequired[Sums]
    net: Amount | None
    unpriced: int
    untried: int | None


class UndecodedLog(TypedDict):
    contract: Address
    logIndex: int


class UserOperationEventMetadata(TypedDict):
    account: Address | None
    cost: Amount | None
    costRaw: NotRequired[Digits]
    paymaster: Address | None
    success: bool | None


class UserOperationEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: UserOperationEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['USER_OPERATION']


Verdict: TypeAlias = Literal['paid', 'revoked', 'differs', 'reverted', 'refused']


class Vesting(TypedDict):
    cliff: int | None
    end: int | None
    releasable: Amount | None
    start: int | None


class VoteEventMetadata(TypedDict):
    contract: Address | None
    proposalId: Digits | None
    reason: str | None
    support: Digits | None
    voter: Address | None
    weight: Digits | None


class VoteEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: VoteEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['VOTE']


class WalletCall(TypedDict):
    data: Data
    gas: NotRequired[Quantity]
    to: Address
    value: Quantity


WalletSendCallsParams = TypedDict(
    'WalletSendCallsParams',
    {
        'atomicRequired': bool,
        'calls': list[WalletCall],
        'chainId': Quantity,
        'from': Address,
        'version': str,
    },
)


class AmountProvenance(TypedDict):
    amountRaw: Digits
    computed: bool
    reads: list[ProvenanceRead]
    tokenAddress: Address


class ApprovalChange(TypedDict):
    after: Digits
    before: Digits
    forAll: bool
    spender: Address
    tokenAddress: TokenAddress


class ApprovalForAllEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: ApprovalForAllEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['APPROVAL_FOR_ALL']


class Block(TypedDict):
    hash: Hash
    number: int
    timestamp: int


class Budget(TypedDict):
    bytes: BudgetShare
    events: BudgetShare
    nodeRequests: BudgetShare
    outgoingRequests: BudgetShare
    reads: BudgetShare
    timeMs: BudgetShare


ClearSigningContext = TypedDict(
    'ClearSigningContext',
    {
        '$id': str,
        'contract': ClearSigningContracts,
    },
)


class ClearSigningField(TypedDict):
    format: str
    label: str
    params: NotRequired[ClearSigningParams]
    path: str
    visible: NotRequired[ClearSigningVisibility]


class ClearSigningFormat(TypedDict):
    fields: list[ClearSigningField]
    intent: str


class CoinAddress(TypedDict):
    address: Data
    coinType: int


class Cost(TypedDict):
    baseFeePerGas: Digits | None
    dataFee: Digits
    dollars: Amount | None
    gas: int
    inCurrency: NotRequired[InCurrency]
    maxPriorityFeePerGas: Digits
    nativeRaw: Digits
    value: Digits


class CoverageRow(TypedDict):
    chainId: int
    markets: int
    network: str
    plugin: PluginVersion
    protocol: str
    question: Question


class DelegateEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: DelegateEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['DELEGATE']


class Function(TypedDict):
    inputParameters: list[FunctionParameter]
    name: str
    outputParameters: list[Any]


class GasEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: GasEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['GAS']


class Health(TypedDict):
    factor: Amount | None
    liquidationPrice: LiquidationPrice | None


class JobReport(TypedDict):
    account: NotRequired[Address]
    detail: str
    durationMs: int
    network: str
    notCovered: NotRequired[list[str]]
    offChain: NotRequired[list[OffChainDocument]]
    protocol: str
    reads: int
    reason: Reason | None
    status: JobStatus
    waves: int
    withoutCode: NotRequired[list[Address]]


class NameRecord(TypedDict):
    address: Address
    addresses: NotRequired[list[CoinAddress]]
    avatar: NotRequired[str | None]
    coinType: NotRequired[int]
    expiry: NotRequired[int | None]
    name: str
    resolvedBy: NotRequired[ResolvedBy]
    resolver: NotRequired[Address]
    viaGateway: NotRequired[bool]


class NameRegisteredEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: NameRegisteredEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['NAME_REGISTERED']


class NameRenewedEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: NameRenewedEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['NAME_RENEWED']


class NftApprovalEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: NftApprovalEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['NFT_APPROVAL']


class NftTransferEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: NftTransferEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['NFT_TRANSFER']


PlannedTransaction = TypedDict(
    'PlannedTransaction',
    {
        'byAnyone': NotRequired[bool],
        'claimIds': list[str],
        'data': Data,
        'from': Address,
        'function': NotRequired[Function],
        'gas': NotRequired[int],
        'network': NotRequired[Network],
        'targetSource': NotRequired[TargetSource],
        'targetView': NotRequired[str | None],
        'to': Address,
        'value': NotRequired[Digits],
    },
)


class Problem(TypedDict):
    detail: str
    jobs: NotRequired[list[FailedJob]]
    message: str
    requestId: NotRequired[str]
    status: int
    title: str
    type: ProblemType


class ProtocolValue(TypedDict):
    dollars: int
    listed: str
    name: str
    questions: list[Question]
    reach: Reach
    reason: str | None
    slug: str | None


class Provenance(TypedDict):
    amounts: list[AmountProvenance]
    block: int
    blockHash: Hash
    digest: str | None


class Simulation(TypedDict):
    approvals: list[ApprovalChange]
    error: str | None
    failure: NotRequired[Reason]
    gasUsed: int | None
    gives: list[TokenFlow] | None
    method: SimulationMethod | None
    receives: list[TokenFlow] | None
    success: bool | None


class Token(TypedDict):
    address: TokenAddress
    caip19: NotRequired[Caip19 | None]
    decimals: int
    decimalsSource: NotRequired[str]
    listed: NotRequired[bool]
    logo: str | None
    lookalike: NotRequired[bool]
    name: str
    network: NotRequired[Network]
    protocol: NotRequired[None]
    symbol: str
    totalSupply: NotRequired[Amount]
    type: str
    underlyingTokens: NotRequired[list[Address]]


Transaction = TypedDict(
    'Transaction',
    {
        'byAnyone': NotRequired[bool],
        'data': Data,
        'from': Address,
        'function': NotRequired[Function],
        'gas': NotRequired[int],
        'network': NotRequired[Network],
        'targetSource': NotRequired[TargetSource],
        'targetView': NotRequired[str | None],
        'to': Address,
        'value': NotRequired[Digits],
    },
)


TransferEventMetadata = TypedDict(
    'TransferEventMetadata',
    {
        'amount': Amount | None,
        'amountRaw': NotRequired[Digits],
        'asset': Token | None,
        'from': Address | None,
        'to': Address | None,
    },
)


class TransferEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: TransferEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['TRANSFER']


class UnlockEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    contract: Address | None
    user: Address | None


class UnlockEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: UnlockEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['UNLOCK']


class UnstakeEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    contract: Address | None
    user: Address | None


class UnstakeEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: UnstakeEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['UNSTAKE']


class UnwrapEventMetadata(TypedDict):
    account: Address | None
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None


class UnwrapEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: UnwrapEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['UNWRAP']


class VaultDepositEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    owner: Address | None
    sender: Address | None
    shares: Amount | None
    sharesRaw: NotRequired[Digits]
    vault: Address | None


class VaultDepositEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: VaultDepositEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['VAULT_DEPOSIT']


class VaultWithdrawEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    owner: Address | None
    sender: Address | None
    shares: Amount | None
    sharesRaw: NotRequired[Digits]
    vault: Address | None


class VaultWithdrawEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: VaultWithdrawEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['VAULT_WITHDRAW']


class WalletSendCalls(TypedDict):
    method: str
    params: list[WalletSendCallsParams]


class WithdrawEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    onBehalfOf: Address | None
    user: Address | None


class WithdrawEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: WithdrawEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['WITHDRAW']


class WrapEventMetadata(TypedDict):
    account: Address | None
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None


class WrapEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: WrapEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['WRAP']


class Approval(TypedDict):
    account: NotRequired[Address]
    allowance: Amount
    allowanceRaw: NotRequired[Digits]
    amountAtRisk: Amount
    balance: Amount
    balanceRaw: NotRequired[Digits]
    caip10: NotRequired[Caip10]
    dollarValue: Amount
    inCurrency: NotRequired[InCurrency]
    listed: bool
    network: Network
    plugin: NotRequired[str]
    price: Amount
    priceAgeSeconds: NotRequired[int | None]
    priceContracts: NotRequired[list[Address]]
    priceSource: NotRequired[str | None]
    provenance: NotRequired[Provenance]
    revokeTransaction: Transaction
    spender: Spender
    token: Token
    unlimited: bool


class ApprovalEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    owner: Address | None
    spender: Address | None


class ApprovalEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: ApprovalEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['APPROVAL']


class Balance(TypedDict):
    account: NotRequired[Address]
    amount: Amount
    amountRaw: NotRequired[Digits]
    caip10: NotRequired[Caip10]
    dollarValue: Amount
    inCurrency: NotRequired[InCurrency]
    network: Network
    plugin: NotRequired[str]
    price: Amount
    priceAgeSeconds: NotRequired[int | None]
    priceContracts: NotRequired[list[Address]]
    priceSource: NotRequired[str | None]
    provenance: NotRequired[Provenance]
    token: Token


class BorrowEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    onBehalfOf: Address | None
    user: Address | None


class BorrowEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: BorrowEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['BORROW']


class BridgeInEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    recipient: Address | None
    remoteNetwork: RemoteNetwork | None
    user: Address | None


class BridgeInEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: BridgeInEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['BRIDGE_IN']


class BridgeOutEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    recipient: Address | None
    remoteNetwork: RemoteNetwork | None
    user: Address | None


class BridgeOutEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: BridgeOutEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['BRIDGE_OUT']


BurnEventMetadata = TypedDict(
    'BurnEventMetadata',
    {
        'amount': Amount | None,
        'amountRaw': NotRequired[Digits],
        'asset': Token | None,
        'from': Address | None,
        'to': Address | None,
    },
)


class BurnEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: BurnEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['BURN']


class ClaimEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    contract: Address | None
    user: Address | None


class ClaimEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: ClaimEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['CLAIM']


class ClearSigningDisplay(TypedDict):
    formats: dict[str, ClearSigningFormat]


class EventAsset(TypedDict):
    amount: Amount
    amountRaw: NotRequired[Digits]
    asset: Token | None


EventMember: TypeAlias = Token | Amount | list[EventAsset] | bool | str | int | RemoteNetwork


class GasPaid(TypedDict):
    amount: Amount
    amountRaw: NotRequired[Digits]
    dataFee: Digits
    dollarValue: Amount | None
    inCurrency: NotRequired[InCurrency]
    operatorFee: Digits
    price: Digits
    token: Token | None
    used: int


class LegPart(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    token: Token | None
    tokenAddress: TokenAddress


class LiquidationEventMetadata(TypedDict):
    borrower: Address | None
    collateralAmount: Amount | None
    collateralAmountRaw: NotRequired[Digits]
    collateralAsset: Token | None
    debtAmount: Amount | None
    debtAmountRaw: NotRequired[Digits]
    debtAsset: Token | None
    liquidator: Address | None


class LiquidationEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: LiquidationEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['LIQUIDATION']


class LockEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    contract: Address | None
    unlockTime: int | Amount | None
    user: Address | None


class LockEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: LockEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['LOCK']


MintEventMetadata = TypedDict(
    'MintEventMetadata',
    {
        'amount': Amount | None,
        'amountRaw': NotRequired[Digits],
        'asset': Token | None,
        'from': Address | None,
        'to': Address | None,
    },
)


class MintEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: MintEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['MINT']


class Movement(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    dollarValue: Amount | None
    inCurrency: NotRequired[InCurrency]
    token: Token | None
    tokenAddress: TokenAddress
    tokenId: Digits | None


class NetworkValue(TypedDict):
    chainId: int
    dollars: int
    inPart: int
    inReach: int
    network: str
    protocols: list[ProtocolValue]


class Payment(TypedDict):
    amount: Amount | None
    amountRaw: Digits
    paidTo: PaidTo
    token: Token | None
    tokenAddress: TokenAddress


class Permit2EventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    expiration: int | Amount | None
    nonce: Digits | None
    owner: Address | None
    spender: Address | None


class Permit2Event(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: Permit2EventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['PERMIT2']


class RemoveLiquidityEventMetadata(TypedDict):
    assets: list[EventAsset] | None
    pool: Address | Hash | None
    user: Address | None


class RemoveLiquidityEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: RemoveLiquidityEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['REMOVE_LIQUIDITY']


class RepayEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    onBehalfOf: Address | None
    user: Address | None


class RepayEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: RepayEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['REPAY']


class Reward(TypedDict):
    apr: Amount | None
    ownPerSecond: Amount | None
    perSecond: Amount | None
    token: Token | None
    tokenAddress: TokenAddress


class SafeReceivedEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    contract: Address | None
    sender: Address | None


class SafeReceivedEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: SafeReceivedEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['SAFE_RECEIVED']


class SafeSentEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    contract: Address | None
    recipient: Address | None


class SafeSentEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: SafeSentEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['SAFE_SENT']


class StakeEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    contract: Address | None
    user: Address | None


class StakeEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: StakeEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['STAKE']


class SupplyEventMetadata(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    asset: Token | None
    onBehalfOf: Address | None
    user: Address | None


class SupplyEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: SupplyEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['SUPPLY']


class SwapEventMetadata(TypedDict):
    fromAmount: Amount | None
    fromAmountRaw: NotRequired[Digits]
    fromToken: Token | None
    pool: Address | Hash | None
    recipient: Address | None
    toAmount: Amount | None
    toAmountRaw: NotRequired[Digits]
    toToken: Token | None
    user: Address | None


class SwapEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: SwapEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['SWAP']


class ValueHeld(TypedDict):
    date: str
    networks: list[NetworkValue]
    source: str


AccountEffects = TypedDict(
    'AccountEffects',
    {
        'address': Address,
        'complete': bool,
        'gas': GasPaid | None,
        'in': list[Movement],
        'incompleteReason': str | None,
        'omitted': int,
        'out': list[Movement],
        'summary': str,
    },
)


class AddLiquidityEventMetadata(TypedDict):
    assets: list[EventAsset] | None
    pool: Address | Hash | None
    user: Address | None


class AddLiquidityEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: AddLiquidityEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['ADD_LIQUIDITY']


class ClaimPlan(TypedDict):
    account: Address
    caip10: NotRequired[Caip10]
    cost: Cost | None
    differs: NotRequired[list[str]]
    dollarValue: Amount
    inCurrency: NotRequired[InCurrency]
    leftOut: list[LeftOut]
    netDollarValue: Amount | None
    network: Network
    pays: list[Payment]
    simulated: Verdict | None
    simulation: Simulation | None
    transactions: list[PlannedTransaction]
    walletSendCalls: WalletSendCalls | None


class Claimable(TypedDict):
    account: NotRequired[Address]
    amount: Amount
    amountRaw: NotRequired[Digits]
    caip10: NotRequired[Caip10]
    claimId: str
    claimSteps: NotRequired[list[Transaction]]
    claimTransaction: Transaction | None
    cost: NotRequired[Cost]
    differs: NotRequired[list[str]]
    dollarValue: Amount
    id: str
    inCurrency: NotRequired[InCurrency]
    name: str
    netDollarValue: Amount | None
    network: Network
    paidTo: NotRequired[PaidTo]
    pays: NotRequired[list[Payment]]
    plugin: NotRequired[str]
    priceAgeSeconds: NotRequired[int | None]
    priceContracts: NotRequired[list[Address]]
    priceSource: NotRequired[str | None]
    protocol: Protocol
    provenance: NotRequired[Provenance]
    simulated: Verdict | None
    simulation: NotRequired[Simulation]
    token: Token
    type: NotRequired[str]


ClearSigning = TypedDict(
    'ClearSigning',
    {
        '$schema': str,
        'context': ClearSigningContext,
        'display': ClearSigningDisplay,
        'metadata': ClearSigningMetadata,
    },
)


class CollectFeesEventMetadata(TypedDict):
    assets: list[EventAsset] | None
    pool: Address | Hash | None
    tokenId: Digits | None
    user: Address | None


class CollectFeesEvent(TypedDict):
    contract: NotRequired[Address | None]
    logIndex: NotRequired[int | None]
    metadata: CollectFeesEventMetadata
    partOf: NotRequired[int]
    plugin: NotRequired[str]
    protocol: Protocol | None
    type: Literal['COLLECT_FEES']


Event: TypeAlias = ApprovalEvent | TransferEvent | MintEvent | BurnEvent | NftTransferEvent | NftApprovalEvent | ApprovalForAllEvent | WrapEvent | UnwrapEvent | SwapEvent | AddLiquidityEvent | RemoveLiquidityEvent | CollectFeesEvent | SupplyEvent | WithdrawEvent | BorrowEvent | RepayEvent | LiquidationEvent | StakeEvent | UnstakeEvent | ClaimEvent | VaultDepositEvent | VaultWithdrawEvent | BridgeOutEvent | BridgeInEvent | LockEvent | UnlockEvent | VoteEvent | DelegateEvent | NameRegisteredEvent | NameRenewedEvent | Permit2Event | SafeExecutionEvent | SafeOwnerAddedEvent | SafeOwnerRemovedEvent | SafeThresholdEvent | SafeReceivedEvent | SafeSentEvent | UserOperationEvent | GasEvent


class Leg(TypedDict):
    amount: Amount | None
    amountRaw: NotRequired[Digits]
    dollarValue: Amount | None
    inCurrency: NotRequired[InCurrency]
    isCollateral: bool | None
    name: str
    rate: Amount | None
    receipt: Address | None
    redeemsTo: list[LegPart] | None
    role: LegRole
    token: Token | None
    tokenAddress: TokenAddress


class Position(TypedDict):
    account: NotRequired[Address]
    caip10: NotRequired[Caip10]
    contractAddress: Address
    dollarValue: Amount | None
    health: Health | None
    id: str
    inCurrency: NotRequired[InCurrency]
    isPermanent: bool | None
    kind: PositionKind
    leg: NotRequired[Leg]
    legs: list[Leg]
    market: str
    name: str
    network: Network
    nft: Nft | None
    number: Digits | None
    owed: NotRequired[list[Leg]]
    plugin: NotRequired[str]
    positionId: NotRequired[str]
    protocol: Protocol
    provenance: NotRequired[Provenance]
    range: PriceRange | None
    rewards: list[Reward]
    type: str
    unlocksAt: int | None
    vesting: Vesting | None


class PositionFacts(TypedDict):
    contractAddress: Address
    health: Health | None
    isPermanent: bool | None
    kind: PositionKind
    leg: NotRequired[Leg]
    market: str
    nft: Nft | None
    number: Digits | None
    owed: NotRequired[list[Leg]]
    positionId: NotRequired[str]
    range: PriceRange | None
    rewards: list[Reward]
    type: str
    unlocksAt: int | None
    vesting: Vesting | None


class ProtocolPositions(TypedDict):
    positions: list[Position]
    protocol: Protocol
    totals: Totals


class Report(TypedDict):
    blocks: dict[str, Block]
    budget: Budget
    claims: NotRequired[ClaimCounts]
    currency: NotRequired[CurrencyRate]
    jobs: list[JobReport]
    valueHeld: NotRequired[ValueHeld]


class FarmingRow(TypedDict):
    account: NotRequired[Address]
    amount: Amount
    amountRaw: NotRequired[Digits]
    apr: Amount
    caip10: NotRequired[Caip10]
    contractAddress: Address
    dollarValue: Amount
    id: str
    inCurrency: NotRequired[InCurrency]
    name: str
    network: Network
    plugin: NotRequired[str]
    position: NotRequired[PositionFacts]
    priceAgeSeconds: NotRequired[int | None]
    priceContracts: NotRequired[list[Address]]
    priceSource: NotRequired[str | None]
    protocol: Protocol
    provenance: NotRequired[Provenance]
    rewardTokens: list[Token]
    stakedToken: Token
    underlyingAmount: Amount
    underlyingAmountRaw: NotRequired[Digits]
    vaultType: str


class LendingRow(TypedDict):
    account: NotRequired[Address]
    amount: Amount
    amountRaw: NotRequired[Digits]
    caip10: NotRequired[Caip10]
    dollarValue: Amount
    healthFactor: NotRequired[Amount | None]
    id: str
    inCurrency: NotRequired[InCurrency]
    name: str
    network: Network
    plugin: NotRequired[str]
    position: NotRequired[PositionFacts]
    priceAgeSeconds: NotRequired[int | None]
    priceContracts: NotRequired[list[Address]]
    priceSource: NotRequired[str | None]
    protocol: Protocol
    provenance: NotRequired[Provenance]
    rate: Amount
    side: NotRequired[LoanSide]
    token: Token


class Portfolio(TypedDict):
    protocols: list[ProtocolPositions]
    totals: Totals


AccountItems: TypeAlias = list[Claimable] | Portfolio


class AccountAnswer(TypedDict):
    account: Address | None
    answer: AccountItems | None
    names: NotRequired[list[str]]
    partial: str | None
