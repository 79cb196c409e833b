/** The bars that are chosen, by their times, as the plot moves on: the first and the last of them, in any order. */
export interface Selection {
  readonly one: string;
  readonly other: string;
}

/** A selection with the size of its bars. */
export interface SizedSelection extends Selection {
  readonly bucketSeconds: number;
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

/** Returns the selection, if a plot has its bars. */
export function selectionOn(
  { buckets, bucket_seconds }: { readonly buckets: readonly Bucket[]; readonly bucket_seconds: number },
  selection: SizedSelection | null,
): Selection | null {
  if (selection?.bucketSeconds !== bucket_seconds) return null;
  const { one, other } = selection;
  return placeOf(one, buckets) < 0 || placeOf(other, buckets) < 0 ? null : { one, other };
}

/** Returns the selection after a key on one of its ends; null if the key does nothing. The ends do not pass each other. */
export function moveEnd(
  selection: Selection | null,
  end: End,
  key: string,
  buckets: readonly Bucket[],
): Selection | null {
  const step = STEPS[key];
  if (step === undefined) return null;
  const { first, last } = endsOf(selection, buckets);
  const next = step(end === 'first' ? first : last, buckets.length);
  return end === 'first'
    ? selectionOf(buckets, Math.min(Math.max(next, 0), last), last)
    : selectionOf(buckets, first, Math.max(Math.min(next, buckets.length - 1), first));
}

/** Returns the selection of the bars at two places; null if one of them is not there. */
export function selectionOf(buckets: readonly Bucket[], place: number, otherPlace: number): Selection | null {
  const [one, other] = [buckets[place]?.at, buckets[otherPlace]?.at];
  return one === undefined || other === undefined ? null : { one, other };
}

/** Returns the places of the ends. Without a selection, those of all bars. */
export function endsOf(
  selection: Selection | null,
  buckets: readonly Bucket[],
): { readonly first: number; readonly last: number } {
  if (selection === null) return { first: 0, last: Math.max(buckets.length - 1, 0) };
  const [one, other] = [placeOf(selection.one, buckets), placeOf(selection.other, buckets)];
  return { first: Math.min(one, other), last: Math.max(one, other) };
}

function placeOf(time: string, buckets: readonly Bucket[]): number {
  return buckets.findIndex(({ at }) => at === time);
}

/** Returns the period of the bars. */
export function periodOfBars(
  { one, other }: Selection,
  bucketSeconds: number,
): { readonly from: string; readonly to: string } {
  const times = [Date.parse(one), Date.parse(other)];
  return {
    from: new Date(Math.min(...times)).toISOString(),
    to: new Date(Math.max(...times) + bucketSeconds * 1000).toISOString(),
  };
}
