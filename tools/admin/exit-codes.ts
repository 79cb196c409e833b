import { ConfigError } from '@app/config';
import { ProvisionError } from '../provision/provision-error.js';
import { UsageError } from './command-line.js';
import { NoDatabaseError } from './select-database.js';

/** The codes above 1 are those of sysexits.h, so that scripts can distinguish failures. */
export const EXIT_CODES = { done: 0, failed: 1, usage: 64, unavailable: 69, config: 78 } as const;

const CONNECTION_ERROR_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT']);

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT_CODES.usage;
  if (error instanceof NoDatabaseError || CONNECTION_ERROR_CODES.has(codeOf(error))) return EXIT_CODES.unavailable;
  return error instanceof ConfigError ? EXIT_CODES.config : EXIT_CODES.failed;
}

export function messageOf(error: unknown): string {
  if (error instanceof ProvisionError) return `${error.message}\n  ${error.remedy}`;
  const code = codeOf(error);
  if (CONNECTION_ERROR_CODES.has(code)) {
    return `The database is not reachable (${code}).\n  Check that it is running and that DATABASE_URL is correct.`;
  }
  if (code === 'organization_not_found') {
    return `${(error as Error).message}.\n  List them: npm run --silent admin -- list-orgs`;
  }
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

function codeOf(error: unknown): string {
  return (error as { code?: string } | null)?.code ?? '';
}
