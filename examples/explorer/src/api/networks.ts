// The networks that the gateway knows: rows name them by chain id, links and gaps by slug.

import { signal } from '@preact/signals';
import { get } from './get.js';
import type { NetworkRow } from './types.js';

export type Known = { slug: string; name: string; logo: string; chainId: number };

/** All networks, once they are there. */
export const networks = signal<Known[]>([]);

let loading: Promise<void> | undefined;

/** Loads the networks once. @throws as `get` does. */
export function loadNetworks(): Promise<void> {
  loading ??= get<{ items: NetworkRow[] }>(['networks'], { detail: 'full' }).then(
    ({ body }) => {
      networks.value = body.items.map(({ slug, name, logo, caip2 }) => ({ slug, logo, name: nameForPeople(name), chainId: Number(caip2?.split(':')[1]) }));
    },
    (failure: unknown) => {
      loading = undefined;
      throw failure;
    },
  );
  return loading;
}

export function networkOfChain(chainId: number): Known | undefined {
  return networks.value.find((network) => network.chainId === chainId);
}

export function networkOfSlug(slug: string): Known | undefined {
  return networks.value.find((network) => network.slug === slug);
}

/** Returns the slug of a chain; a chain that the gateway did not name goes by its id, which requests take too. */
export function slugOf(chainId: number): string {
  return networkOfChain(chainId)?.slug ?? String(chainId);
}

/** Writes a name in capitals as people do: `POLYGON_MUMBAI` is `Polygon Mumbai`, and `BSC` stays. */
export function nameForPeople(name: string): string {
  return name.split('_').map((word) => (word.length > 3 ? word[0] + word.slice(1).toLowerCase() : word)).join(' ');
}
