import { ConfigError } from '@app/config';
import { ProvisionError } from '../provision/provision-error.js';
import { UsageError } from './command-line.js';
import { NoStoresError } from './stores.js';

/** As sysexits.h has them, so that scripts can tell what to mend. */
export const EXIT = { done: 0, failed: 1, usage: 64, unavailable: 69, config: 78 } as const;

const AWAY = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT']);

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof NoStoresError || AWAY.has(codeOf(error))) return EXIT.unavailable;
  return error instanceof ConfigError ? EXIT.config : EXIT.failed;
}

export function messageOf(error: unknown): string {
  if (error instanceof ProvisionError) return `${error.message}\n  ${error.remedy}`;
  const code = codeOf(error);
  if (AWAY.has(code)) return `The database does not answer (${code}).\n  Is it running, and is DATABASE_URL right?`;
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

function codeOf(error: unknown): string {
  return (error as { code?: string } | null)?.code ?? '';
}
