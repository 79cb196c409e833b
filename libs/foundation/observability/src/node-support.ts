import type { Logger } from './logger.js';

/** The last days on which the major versions of Node that the platform runs on receive security fixes. */
const LAST_DAYS: Readonly<Record<string, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};

/** Logs a warning if this version of Node no longer receives security fixes. */
export function warnOfNodeVersion(logger: Logger, version = process.versions.node, now = new Date()): void {
  const lastDay = LAST_DAYS[version.split('.')[0] ?? ''];
  if (lastDay === undefined || now.toISOString().slice(0, 10) <= lastDay) return;
  logger.warn(`Node ${version} has received no security fixes since ${lastDay}; use Node 24 or 26`);
}
