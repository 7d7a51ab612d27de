// What of a series can be joined by a line: a point that is missing parts it, and is never guessed.

export type Run = { index: number; value: number }[];

/** Returns the unbroken parts of a series. */
export function runs(values: (number | null)[]): Run[] {
  const all: Run[] = [];
  let run: Run = [];
  values.forEach((value, index) => {
    if (value !== null) {
      if (run.length === 0) all.push(run);
      run.push({ index, value });
    } else {
      run = [];
    }
  });
  return all;
}

/** Returns the least and the greatest value, or null of a series without values. */
export function extent(values: (number | null)[]): [number, number] | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : [Math.min(...known), Math.max(...known)];
}
