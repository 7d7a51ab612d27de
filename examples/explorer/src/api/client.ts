// What the explorer takes from the TypeScript client: its types are made of the gateway's description, by a test.

export { type Missing, parseBlocks, parseMissing } from '../../../clients/ts/src/answer.js';
export { type Claim, type Step, type Verdict, claimOfPlan, claimsOf } from '../../../clients/ts/src/claims.js';
export { Problem } from '../../../clients/ts/src/problem.js';
export type * from '../../../clients/ts/src/types.js';
export type { components } from '../../../clients/ts/src/schema.js';
