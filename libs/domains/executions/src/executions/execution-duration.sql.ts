/**
 * Returns an expression for the duration of an execution: the one that the worker reported, otherwise the time from
 * start to completion in whole milliseconds. Clients may write both times, so they can be in reverse order, and their
 * difference can exceed 32 bits.
 */
export function duration(execution: string): string {
  const measured = `round(extract(epoch FROM ${execution}.completed_at - ${execution}.started_at) * 1000)`;
  return `coalesce(${execution}.duration_ms,
    CASE WHEN ${execution}.completed_at < ${execution}.started_at THEN 0 ELSE ${measured} END::double precision)`;
}
