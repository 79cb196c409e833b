/** The bars that are chosen, by their places: the first and the last of them, in any order. */
export interface Selection {
  readonly one: number;
  readonly other: number;
}

export type End = 'first' | 'last';

interface Bucket {
  readonly at: string;
}

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** Returns the selection after a key on one of its ends; null if the key does nothing. The ends do not pass each other. */
export function moveEnd(selection: Selection | null, end: End, key: string, count: number): Selection | null {
  const step = STEPS[key];
  if (step === undefined || count === 0) return null;
  const { first, last } = endsOf(selection, count);
  const next = step(end === 'first' ? first : last, count);
  return end === 'first'
    ? { one: Math.min(Math.max(next, 0), last), other: last }
    : { one: first, other: Math.max(Math.min(next, count - 1), first) };
}

/** Without a selection, all bars. */
export function endsOf(selection: Selection | null, count: number): { readonly first: number; readonly last: number } {
  if (selection === null) return { first: 0, last: Math.max(count - 1, 0) };
  const { one, other } = selection;
  return { first: Math.min(one, other), last: Math.max(one, other) };
}

/** Returns the period of some bars. */
export function periodOfBars(
  buckets: readonly Bucket[],
  selection: Selection,
  bucketSeconds: number,
): { readonly from: string; readonly to: string } | null {
  const { first, last } = endsOf(selection, buckets.length);
  const [from, to] = [buckets[first]?.at, buckets[last]?.at];
  if (from === undefined || to === undefined) return null;
  return {
    from: new Date(from).toISOString(),
    to: new Date(Date.parse(to) + bucketSeconds * 1000).toISOString(),
  };
}
