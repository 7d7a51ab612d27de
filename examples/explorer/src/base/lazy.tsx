// A page whose code is loaded when it is first shown.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice } from './parts.js';

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(loaded ? 'loaded' : 'loading');
    useEffect(() => {
      if (loaded) return;
      load().then(
        (page) => {
          loaded = page;
          setState('loaded');
        },
        () => setState('failed'),
      );
    }, []);
    if (state === 'failed') return <Notice kind="bad">This part of the page could not be loaded. Load the page again.</Notice>;
    const Page = loaded;
    return Page ? <Page {...props} /> : <p class="loading" role="status">Loading…</p>;
  };
}
