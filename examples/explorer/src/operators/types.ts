// What the operators' listener answers: `host/docs/reference/operators.md` is its reference.

export type Sandbox = Record<string, boolean>;
export type Latency = { p50: number; p90?: number; p99: number };

export type Ready = {
  ready: boolean;
  reasons: string[];
  degraded: string[];
  plugins: { isolation: string; sandbox: Sandbox | null };
};

export type Plugin = {
  plugin: string;
  version: string;
  file: string;
  digest: string;
  apiRev: number;
  state: string;
  reason: string | null;
  signature: { signedBy: string | null; wouldBeRefused: string | null } | null;
  protocols: string[];
  generation: number;
  isolation: string;
  sandbox: Sandbox | null;
  unknownNetworks: number[];
  claims: { shown: string; allowed: boolean; reason: string | null }[];
  hosts: { host: string; granted: boolean; mirrored: boolean }[];
  failures: { protocol: string; network: string; reason: string; message: string; count: number; lastAt: string }[];
  withoutCode: { protocol: string; network: string; address: string; block: number }[];
  breakers: { chainId: number; state: string; faultsInARow: number; retryInSeconds: number | null }[];
  lists: { protocol: string; network: string; market: string; key: string; block?: number; entries: number; bytes: number; complete: boolean; ageS: number }[];
  cpuUs: number;
  loadedAt: string | null;
  /** Since its build and settings came in force. */
  jobs: { count: number; failed: number; latencyMs: Latency | null };
  /** Null if it is not known, as in the host's process. */
  memoryBytes: number | null;
};

export type Endpoint = {
  host: string;
  state: string;
  rung: string | null;
  score: number;
  lagSeconds: number | null;
  latencyMs: Latency | null;
  requests: number;
  errors: number;
  throttled: number;
  inFlight: number;
  lastFailure: { reason: string; at: string; count: number } | null;
};

export type Network = {
  name: string;
  slug: string;
  chainId: number;
  block: { number: number; hash: string; timestamp: number } | null;
  blockTimeMs: number | null;
  endpoints: Endpoint[];
};

export type List = {
  number: number;
  place: string;
  version: string | null;
  tokens: number;
  confirmedAt: string | null;
  ageSeconds: number | null;
  error: string | null;
};

export type History = { stepSeconds: number; points: Step[] };

/** Counts are those of the step. */
export type Step = {
  at: number;
  answers: number;
  problems: number;
  partial: number;
  inFlight: number;
  p50Ms: number | null;
  p99Ms: number | null;
  memoryBytes: number;
  nodeRequests: number;
  nodeErrors: number;
  jobs: number;
  jobFailures: number;
};

export type Answers = { readyz: Ready; history: History; plugins: Plugin[]; networks: Network[]; lists: List[] };
