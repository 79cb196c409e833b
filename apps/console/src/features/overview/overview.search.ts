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
  /** A period of its own, ISO 8601, in place of the range. */
  readonly from?: string;
  readonly to?: string;
}

/** Sizes of bars that the server has, in seconds, and how many bars a period of its own has at most. */
const BAR_SIZES = [60, 300, 900, 3600] as const;
const LARGEST_BAR = 21_600;
const MOST_BARS = 100;
/** The server keeps its bars of a minute for 14 days, and of 15 minutes for 100: one day less, as clocks differ. */
const KEPT_DAYS: Readonly<Record<(typeof BAR_SIZES)[number], number>> = { 60: 13, 300: 13, 900: 99, 3600: 99 };
const DAY_MS = 86_400_000;
/** The server groups the failures of at most a week. */
const LONGEST_MS = 604_800_000;

export interface Period {
  /** ISO 8601; both ends lie on the edges of bars, so that a period is asked for again only when a bar has ended. */
  readonly from: string;
  readonly to: string;
  readonly bucketSeconds: number;
}

/** Leaves out what is not a choice of this page. */
export function parseOverviewSearch(search: Readonly<Record<string, unknown>>): OverviewSearch {
  const own = ownPeriod(search['from'], search['to']);
  if (own !== null) return own;
  const range = RANGE_NAMES.find((name) => name === search['range']);
  return range === undefined || range === DEFAULT ? {} : { range };
}

function ownPeriod(from: unknown, to: unknown): { readonly from: string; readonly to: string } | null {
  if (typeof from !== 'string' || typeof to !== 'string') return null;
  const [start, end] = [Date.parse(from), Date.parse(to)];
  // Only periods that are much shorter can have smaller bars.
  const whole = wholeBars(start, end, LARGEST_BAR);
  return end > start && whole.end - whole.start <= LONGEST_MS ? { from, to } : null;
}

export function rangeOf({ range }: OverviewSearch): Range {
  return range ?? DEFAULT;
}

export function rangeLabel(range: Range): string {
  return RANGES[range].label;
}

/** Returns the period that the page shows at a time: its own one, or the range until then. */
export function shownPeriod(search: OverviewSearch, now: Date): Period {
  const { from, to } = search;
  if (from === undefined || to === undefined) return periodOf(rangeOf(search), now);
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const bucketSeconds = BAR_SIZES.find((size) => hasBars(start, end, size, now)) ?? LARGEST_BAR;
  const whole = wholeBars(start, end, bucketSeconds);
  return { from: new Date(whole.start).toISOString(), to: new Date(whole.end).toISOString(), bucketSeconds };
}

/** Tells whether bars of a size are few enough, and still kept. */
function hasBars(start: number, end: number, size: (typeof BAR_SIZES)[number], now: Date): boolean {
  const isKept = wholeBars(start, end, size).start >= now.getTime() - KEPT_DAYS[size] * DAY_MS;
  return isKept && end - start <= size * 1000 * MOST_BARS;
}

/** Extends a period to whole bars. */
function wholeBars(
  start: number,
  end: number,
  bucketSeconds: number,
): { readonly start: number; readonly end: number } {
  const size = bucketSeconds * 1000;
  return { start: Math.floor(start / size) * size, end: Math.ceil(end / size) * size };
}

/** Returns the period that ends with the bar that contains a time. */
export function periodOf(range: Range, now: Date): Period {
  const { ms, bucketSeconds } = RANGES[range];
  const size = bucketSeconds * 1000;
  const to = (Math.floor(now.getTime() / size) + 1) * size;
  return { from: new Date(to - ms).toISOString(), to: new Date(to).toISOString(), bucketSeconds };
}
