/** A token of the development models: up to eight non-blank characters with the blanks before them. */
const TOKEN = /\s*\S{1,8}|\s+$/gu;

/** Cuts a text into tokens that concatenate to exactly that text. */
export function tokenize(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

export function countTokens(text: string): number {
  return tokenize(text).length;
}

/** Exactly `count` tokens: the beginning of `tokens`, filled up with numbered words where it is too short. */
export function fitTokens(tokens: readonly string[], count: number): string[] {
  const fitted = tokens.slice(0, count);
  while (fitted.length < count) fitted.push(` w${fitted.length + 1}`);
  return fitted;
}
