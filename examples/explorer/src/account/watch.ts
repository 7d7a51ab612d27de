// The watch of an account: what changed, at each new block. It is closed while nobody looks.

import { parseBlocks } from '../api/client.js';
import { type Answer, answer, url } from '../api/get.js';
import { problemOf } from '../api/stream.js';
import type { Portfolio } from '../api/types.js';

export type Watcher = {
  state: (state: 'no' | 'connecting' | 'live') => void;
  /** Everything, as it was first read. */
  portfolio: (answer: Answer<Portfolio>) => void;
  change: (change: unknown) => void;
  /** Newer blocks, where nothing changed. */
  blocks: (blocks: Record<string, number>) => void;
  /** The next block could not be read; the watch goes on. */
  problem: (detail: string) => void;
};

/** Watches until the signal ends. The browser connects again by itself, and says where it was. */
export function watch(account: string, ended: AbortSignal, watcher: Watcher): void {
  let source: EventSource | undefined;
  const close = () => {
    source?.close();
    source = undefined;
    watcher.state('no');
  };
  const open = () => {
    if (source || document.hidden || ended.aborted) return;
    watcher.state('connecting');
    source = new EventSource(url([account, 'watch']));
    const on = (event: string, take: (data: string) => void) => source?.addEventListener(event, ({ data }: MessageEvent<string>) => take(data));
    source.onopen = () => watcher.state('live');
    // A source that is closed was refused: the gateway has no watch, or no room for one.
    source.onerror = () => watcher.state(source?.readyState === EventSource.CLOSED ? 'no' : 'connecting');
    on('answer', (data) => {
      const { headers, body } = JSON.parse(data) as { headers: Record<string, string>; body: Portfolio };
      watcher.portfolio(answer(body, (name) => headers[name] ?? null));
    });
    on('change', (data) => {
      const change = JSON.parse(data) as { blocks: string };
      watcher.blocks(parseBlocks(change.blocks));
      watcher.change(change);
    });
    on('blocks', (data) => watcher.blocks(parseBlocks((JSON.parse(data) as { blocks: string }).blocks)));
    on('problem', (data) => watcher.problem(problemOf(data).detail));
  };
  const look = () => (document.hidden ? close() : open());
  document.addEventListener('visibilitychange', look);
  ended.addEventListener('abort', () => {
    document.removeEventListener('visibilitychange', look);
    close();
  });
  open();
}
