// What the page knows of the gateway: each part is refreshed by itself, and keeps its last answer when a refresh fails.

import { signal, type Signal } from '@preact/signals';
import { why } from '../api/get.js';
import { ask, Unauthorized } from './listener.js';
import type { Answers } from './types.js';

const EVERY_MS = 15_000;

export type Part<Content> = { content: Content | null; failure: string | null };
type Path = keyof Answers;
const OTHERS: Path[] = ['history', 'plugins', 'networks', 'lists'];

const unknown = <Content>(): Signal<Part<Content>> => signal({ content: null, failure: null });

export class Store {
  readonly parts: { [Of in Path]: Signal<Part<Answers[Of]>> } = {
    readyz: unknown(),
    history: unknown(),
    plugins: unknown(),
    networks: unknown(),
    lists: unknown(),
  };
  /** When the last refresh ended, in Unix seconds. */
  readonly refreshed = signal<number | null>(null);
  readonly isRefreshing = signal(false);
  /** `wanted` before the first token, `refused` after a wrong one. */
  readonly access = signal<'open' | 'wanted' | 'refused'>('open');
  #token: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = new AbortController();

  /** Refreshes now and from now on. A page that nobody sees asks nothing. */
  start(): void {
    document.addEventListener('visibilitychange', this.#look);
    void this.refresh();
  }

  end(): void {
    document.removeEventListener('visibilitychange', this.#look);
    clearTimeout(this.#timer);
    this.#ended.abort();
  }

  useToken(token: string): void {
    this.#token = token;
    void this.refresh();
  }

  async refresh(): Promise<void> {
    if (this.isRefreshing.value) return;
    clearTimeout(this.#timer);
    this.isRefreshing.value = true;
    const failures = [await this.#load('readyz')];
    // One refusal is enough to ask for a token.
    if (!(failures[0] instanceof Unauthorized)) failures.push(...(await Promise.all(OTHERS.map((path) => this.#load(path)))));
    if (this.#ended.signal.aborted) return;
    this.isRefreshing.value = false;
    if (failures.some((failure) => failure instanceof Unauthorized)) {
      this.access.value = this.#token === null ? 'wanted' : 'refused';
      this.#token = null;
      return;
    }
    this.access.value = 'open';
    if (failures.some((failure) => failure === null)) this.refreshed.value = Date.now() / 1000;
    this.#timer = setTimeout(this.#look, EVERY_MS);
  }

  /** Returns why it failed, or null. */
  async #load<Of extends Path>(path: Of): Promise<unknown> {
    const part: Signal<Part<Answers[Of]>> = this.parts[path];
    try {
      part.value = { content: await ask(path, this.#token, this.#ended.signal), failure: null };
      return null;
    } catch (failure) {
      part.value = { ...part.value, failure: failure instanceof Unauthorized ? null : why(failure) };
      return failure;
    }
  }

  #look = () => {
    if (document.visibilityState === 'visible' && this.access.value === 'open') void this.refresh();
  };
}
