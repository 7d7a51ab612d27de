// Runs jobs side by side, but only so many: each point of a chart is an answer over all networks.

/** Runs `work` for each item in their order, `most` at a time, until all ended or `signal` stops it. `work` never throws. */
export async function pool<Item>(items: Item[], most: number, signal: AbortSignal, work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
}
