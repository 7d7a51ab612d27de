// The page for people: one slot for each route.

import './theme/index.css';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AccountPage } from './account/page.js';
import { Frame } from './base/frame.js';
import { lazy } from './base/lazy.js';
import { followAddress, route, toSearch } from './router.js';
import { Search, SearchPage } from './search.js';
import { WalletButton, Wallets } from './wallet/connect.js';
import { findWallets } from './wallet/wallets.js';

const PlanPage = lazy(() => import('./claim/page.js').then((module) => module.PlanPage));
const HistoryPage = lazy(() => import('./history/page.js').then((module) => module.HistoryPage));
const TransactionPage = lazy(() => import('./transaction/page.js').then((module) => module.TransactionPage));

function Page() {
  const at = route.value;
  switch (at.page) {
    case 'search':
      return <SearchPage />;
    case 'account':
      return <AccountPage key={at.account} account={at.account} />;
    case 'plan':
      return <PlanPage key={`${at.account} ${at.network}`} account={at.account} network={at.network} />;
    case 'history':
      return <HistoryPage key={at.account} account={at.account} />;
    case 'transaction':
      return <TransactionPage key={`${at.network} ${at.hash} ${at.account}`} network={at.network} hash={at.hash} {...(at.account === undefined ? {} : { account: at.account })} />;
    case 'unknown':
      return (
        <>
          <h1>There is nothing here</h1>
          <p><a href={toSearch()}>Search for an address, a name or a transaction</a></p>
        </>
      );
  }
}

function App() {
  const at = route.value;
  const shown = useRef(at);
  // A new page begins at its top, and a screen reader reads it from there.
  useEffect(() => {
    if (shown.current === at) return;
    shown.current = at;
    scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [at]);
  const actions = (
    <>
      {at.page !== 'search' && <Search />}
      <WalletButton />
    </>
  );
  return (
    <>
      <Frame home={toSearch()} name="Portolan" actions={actions}><Page /></Frame>
      <Wallets />
    </>
  );
}

followAddress();
findWallets();
render(<App />, document.getElementById('app')!);
