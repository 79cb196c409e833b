/** Periods of the overview, with the size of their bars. Times are milliseconds, sizes seconds. */
const RANGES = {
  '1h': { label: 'Last hour', ms: 3_600_000, bucketSeconds: 60 },
  '6h': { label: 'Last 6 hours', ms: 21_600_000, bucketSeconds: 300 },
  '24h': { label: 'Last 24 hours', ms: 86_400_000, bucketSeconds: 900 },
  '7d': { label: 'Last 7 days', ms: 604_800_000, bucketSeconds: 21_600 },
} as const;

export type Range = keyof typeof RANGES;

const DEFAULT: Range = '24h';
export const RANGE_NAMES = Object.keys(RANGES) as readonly Range[];

/** The choice of the page, as it stands in the address. Absent: the last 24 hours. */
export interface OverviewSearch {
  readonly range?: Range;
}

export interface Period {
  /** ISO 8601; both ends lie on the edges of bars, so that a period is asked for again only when a bar has ended. */
  readonly from: string;
  readonly to: string;
  readonly bucketSeconds: number;
}

/** Leaves out what is not a choice of this page. */
export function parseOverviewSearch(search: Readonly<Record<string, unknown>>): OverviewSearch {
  const range = RANGE_NAMES.find((name) => name === search['range']);
  return range === undefined || range === DEFAULT ? {} : { range };
}

export function rangeOf({ range }: OverviewSearch): Range {
  return range ?? DEFAULT;
}

export function rangeLabel(range: Range): string {
  return RANGES[range].label;
}

/** Returns the period that ends with the bar that contains a time. */
export function periodOf(range: Range, now: Date): Period {
  const { ms, bucketSeconds } = RANGES[range];
  const size = bucketSeconds * 1000;
  const to = (Math.floor(now.getTime() / size) + 1) * size;
  return { from: new Date(to - ms).toISOString(), to: new Date(to).toISOString(), bucketSeconds };
}
