/**
 * Returns one regular expression of PostgreSQL for each word of the text: it matches a name with a word that begins with it.
 * A word of a name begins at its start or after a character that is neither a letter nor a digit.
 */
export function searchTerms(text: string): readonly string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return [...new Set(words)].map((word) => `(^|[^[:alnum:]])${word.replaceAll(/[^\p{L}\p{N}]/gu, escape)}`);
}

/** In a regular expression of PostgreSQL, a backslash before any character but a letter or digit makes it a literal one. */
function escape(character: string): string {
  return `\\${character}`;
}

/** Lower is better: the name itself, a name that begins with the text, any other. */
export function rankOf(name: string, text: string): number {
  const [lowerName, lowerText] = [name.toLowerCase(), text.trim().toLowerCase()];
  if (lowerName === lowerText) return 0;
  return lowerName.startsWith(lowerText) ? 1 : 2;
}
