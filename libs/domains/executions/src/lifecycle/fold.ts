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
  if (first.content.usage !== undefined && (second.keepsUsage || losesModel(first, second))) return undefined;
  return { ...second, from: first.from, content: { ...first.content, ...second.content } };
}

/** Whether the second usage names no model, so that the one of the first remains if there are earlier attempts. */
function losesModel(first: Change, second: Change): boolean {
  const [before, next] = [first.content.usageColumns, second.content.usageColumns];
  return next !== undefined && next.model === null && before !== undefined && before.model !== null;
}
