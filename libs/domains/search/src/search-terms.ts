/**
 * Returns the words of the text that consist of ASCII characters, in lower case. A name that matches the terms of the text
 * contains each of them, whatever the locale of the database, and this is cheaper to check.
 */
export function asciiWords(text: string): readonly string[] {
  return wordsOf(text)
    .filter((word) => /^[!-~]+$/.test(word))
    .map((word) => word.toLowerCase());
}

/**
 * Returns one regular expression of PostgreSQL for each word of the text. It matches names in which a word begins with
 * the given word. A word of a name begins at the start of the name or after a character that is neither a letter nor a
 * digit.
 */
export function searchTerms(text: string): readonly string[] {
  return wordsOf(text).map((word) => `(^|[^[:alnum:]])${word.replaceAll(/[^\p{L}\p{N}]/gu, escape)}`);
}

function wordsOf(text: string): readonly string[] {
  return [...new Set(text.split(/\s+/).filter((word) => word !== ''))];
}

/** In a regular expression of PostgreSQL, a backslash makes any character except a letter or digit literal. */
function escape(character: string): string {
  return `\\${character}`;
}

/** Returns the rank of a name; a lower one is better: the name equals the text, begins with the text, or neither. */
export function rankOf(name: string, text: string): number {
  const [lowerName, lowerText] = [name.toLowerCase(), text.trim().toLowerCase()];
  if (lowerName === lowerText) return 0;
  return lowerName.startsWith(lowerText) ? 1 : 2;
}
