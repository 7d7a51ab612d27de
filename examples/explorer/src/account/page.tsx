// What an account has and can claim.

import { useEffect, useMemo } from 'preact/hooks';
import { checksummed, Hex } from '../base/hex.js';
import { addressIn } from '../base/ids.js';
import { shortHex } from '../base/format.js';
import { Words } from '../base/text.js';
import { toHistory } from '../router.js';
import { Balances } from './balances.js';
import { Blocks } from './blocks.js';
import { Claims } from './claims.js';
import { Debts } from './debts.js';
import { Failure } from './failure.js';
import { Gaps } from './gaps.js';
import { Marks } from './names.js';
import { Positions } from './positions.js';
import { AccountStore } from './store.js';
import { Summary } from './summary.js';

export function AccountPage({ account }: { account: string }) {
  const store = useMemo(() => new AccountStore(account), [account]);
  useEffect(() => {
    void store.start();
    return () => store.end();
  }, [store]);
  const refusal = refusalOf(store);
  const address = store.address.value;
  const given = addressIn(account);
  const name = given === null ? account : shortHex(checksummed(given));
  useEffect(() => {
    document.title = `${name} · Portolan`;
  }, [name]);

  return (
    <Marks.Provider value={store.marks.value}>
      <header class="account-head">
        <div>
          <h1>{given === null ? <Words of={account} /> : <span class="mono">{name}</span>}</h1>
          {address !== null && <p class="note"><Hex of={address} what="the address" whole /></p>}
        </div>
        <nav class="account-nav" aria-label="Account">
          <a class="button quiet" href={toHistory(account)}>Over time</a>
        </nav>
        <Blocks store={store} />
      </header>
      {refusal !== null ? (
        <Failure progress={{ state: 'failed', why: refusal }} retry={() => void store.refresh()} />
      ) : (
        <>
          <Summary store={store} />
          <Claims store={store} />
          <Positions store={store} />
          <Debts store={store} />
          <Balances store={store} />
          <Gaps store={store} />
        </>
      )}
      <p class="hidden" role="status">{store.news.value}</p>
    </Marks.Provider>
  );
}

/** Where no question has an answer, and all for the same reason, it is said once, in place of everything. */
function refusalOf({ progress }: AccountStore): string | null {
  const reasons = Object.values(progress).map(({ value }) => (value.state === 'failed' ? value.why : null));
  const [first = null] = reasons;
  return reasons.every((reason) => reason === first) ? first : null;
}
