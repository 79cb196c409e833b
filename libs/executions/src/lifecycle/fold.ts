import type { Change, LifecycleRow } from './lifecycle.types.js';

/** Returns the row after a change. */
export function after<Row extends LifecycleRow>(row: Row, { columns }: Change): Row {
  return { ...row, ...columns };
}

/**
 * Returns two changes of one execution as one. Undefined if the first one has an entry in the ledger, a message or usage to
 * keep, or if its usage would be lost: each such change is a write of its own.
 */
export function fold(first: Change, second: Change): Change | undefined {
  if (first.note !== undefined || first.message !== undefined || first.keepsUsage) return undefined;
  const hasUsage = first.content.usage !== undefined;
  if (hasUsage && (second.content.usage !== undefined || second.keepsUsage)) return undefined;
  return { ...second, from: first.from, content: { ...first.content, ...second.content } };
}
