import type { FieldDefinition } from './ast.js';

/** Maximum length of names that are compared. */
const LONGEST_NAME = 40;

/** Returns known names that are similar to an unknown one, the most similar first, as an addition to a message. */
export function didYouMean(name: string, known: readonly string[]): string {
  const most = Math.floor(name.length * 0.4) + 1;
  const close = known
    .map((option) => ({ option, distance: distanceOf(name, option, most) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance);
  const quoted = close.slice(0, 5).map(({ option }) => `"${option}"`);
  const last = quoted.pop();
  if (last === undefined) return '';
  const list = quoted.length === 0 ? last : `${quoted.join(', ')}${quoted.length > 1 ? ',' : ''} or ${last}`;
  return ` Did you mean ${list}?`;
}

/**
 * Returns the number of insertions, deletions and replacements between two names. Names that differ only in case have
 * the distance 1.
 */
function distanceOf(name: string, option: string, most: number): number {
  if (name.length > LONGEST_NAME || Math.abs(name.length - option.length) > most) return Infinity;
  const [a, b] = [name.toLowerCase(), option.toLowerCase()];
  if (a === b) return name === option ? 0 : 1;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? Infinity;
}

export function namesOf(fields: readonly FieldDefinition[] | undefined): string[] {
  return (fields ?? []).map((field) => field.Name);
}
