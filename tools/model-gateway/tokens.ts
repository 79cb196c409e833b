/** A token is up to eight non-blank characters with the preceding whitespace. */
const TOKEN_PATTERN = /\s*\S{1,8}|\s+$/gu;

/** Splits a text into tokens. Their concatenation is exactly the text. */
export function tokenize(text: string): string[] {
  return text.match(TOKEN_PATTERN) ?? [];
}

export function countTokens(text: string): number {
  return tokenize(text).length;
}

/** Returns exactly `count` tokens: truncates `tokens`, or appends numbered words. */
export function fitTokens(tokens: readonly string[], count: number): string[] {
  const fitted = tokens.slice(0, count);
  while (fitted.length < count) fitted.push(` w${fitted.length + 1}`);
  return fitted;
}
