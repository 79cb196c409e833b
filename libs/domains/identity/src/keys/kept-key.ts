import type { IdentityConfig } from '@app/config';
import { hashKey } from './api-key-format.js';

/**
 * Returns the hash of BOOTSTRAP_ADMIN_KEY, whose row must be kept: without the row, the key would be added again at the
 * next start although it was revoked. Null if no key is configured.
 */
export function keptKeyHash({ bootstrapAdminKey }: IdentityConfig): string | null {
  return bootstrapAdminKey === null ? null : hashKey(bootstrapAdminKey);
}
