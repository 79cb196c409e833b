/** Maximum number of spans, resources and scopes of a request. */
const MAX_ITEMS = 100_000;
/** Maximum number of attributes, list items, events and links of a span, at all levels. */
const MAX_VALUES = 20_000;

/**
 * Counts what a decoder has met. Without limits, ten megabytes of empty objects, which a client sends in a second, would
 * occupy the process for a minute.
 */
class Counter {
  private count = 0;

  constructor(
    private readonly limit: number,
    private readonly what: string,
  ) {}

  /** Throws beyond the limit. */
  add(items: number): void {
    this.count += items;
    if (this.count > this.limit) throw new Error(`more than ${this.limit} ${this.what}`);
  }
}

export type DecodingCounter = Pick<Counter, 'add'>;

/** Counts the items of a request. */
export function itemCounter(): DecodingCounter {
  return new Counter(MAX_ITEMS, 'spans, resources and scopes');
}

/** Counts the values of a span. */
export function valueCounter(): DecodingCounter {
  return new Counter(MAX_VALUES, 'attributes, list items, events and links');
}
