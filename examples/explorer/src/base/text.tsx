// Words that strangers wrote: names of tokens, protocols and plugins. They are text only, isolated, and cut.

const CHARACTERS_MAX = 40;
// Control, direction and invisible characters. The gateway removes them; this page does not rely on it.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0]/gu;

/** Removes what cannot be seen. */
export function clean(words: string): string {
  return words.replace(UNSEEN, '');
}

/** Cuts words at a whole character. */
export function cut(words: string, max = CHARACTERS_MAX): string {
  const characters = [...words];
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : words;
}

/** Shows a stranger's words. */
export function Words({ of, max }: { of: string; max?: number }) {
  const words = clean(of);
  const shown = cut(words, max);
  return <bdi title={shown === words ? undefined : words}>{shown === '' ? '(no name)' : shown}</bdi>;
}
