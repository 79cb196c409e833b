/** Bounds of what callers write together. */
export const MAX_BATCH = 64;
export const MAX_BATCH_BYTES = 4_194_304;
/** One batch is written while the next one is read and decided. */
export const MAX_BATCHES_IN_FLIGHT = 2;

/** The last one is for background work, which takes at most 500 rows at once. */
const LIMITS = [1, 8, MAX_BATCH, 512] as const;

/**
 * Returns the number of rows that the statement for a batch of this size names to the planner, which would otherwise
 * expect 100 rows, and read a whole table as long as it is small. Few numbers, because each is a statement of its own.
 */
export function batchLimit(size: number): number {
  return LIMITS.find((limit) => size <= limit) ?? size;
}
