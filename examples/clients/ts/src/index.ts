export { type Answer, type Missing, PartialAnswer, whole } from './answer.js';
export { toRaw } from './amount.js';
export { type Claim, type Payment, type Step, type Verdict, claimOfPlan, claimsOf } from './claims.js';
export { type ClaimSelection, type Options, Portolan, type RequestOptions, type Selection } from './client.js';
export { Problem } from './problem.js';
export { ClaimNotSent, ClaimReverted, type Consent, type Signer, sendClaim, signClaim } from './send.js';
export type * from './types.js';
