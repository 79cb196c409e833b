import { grants, KEY_SCOPES, type Caller, type Fault, type KeyScope } from '@app/kernel';
import type { ApiKeyRecord } from './key.types.js';

/** Returns a fault for each unknown scope. Values of a wrong type are reported by the type checks. */
export function unknownScopeFaults({ scopes }: { readonly scopes?: unknown }): Fault[] {
  if (!Array.isArray(scopes)) return [];
  return scopes.flatMap((scope: unknown, index): Fault[] =>
    typeof scope !== 'string' || isScope(scope)
      ? []
      : [
          {
            path: ['scopes', String(index)],
            msg: `Unknown scope: ${scope} (known: ${KEY_SCOPES.join(', ')})`,
            type: 'enum',
          },
        ],
  );
}

/** Returns a fault for each scope that the minting key lacks and therefore cannot grant. */
export function lackingScopeFaults(maker: Caller, scopes: readonly string[]): Fault[] {
  return scopes.flatMap((scope, index): Fault[] => {
    if (!isScope(scope) || grants(maker, scope)) return [];
    const msg = `A key cannot grant a scope that it does not have: ${scope}`;
    return [{ path: ['scopes', String(index)], msg, type: 'value_error' }];
  });
}

/** Returns a fault for an expiry in the past or after that of the minting key. */
export function expiryFaults(maker: Caller, expiresAt: Date | null, now: Date): Fault[] {
  if (expiresAt !== null && expiresAt <= now) return [expiryFault('expires_at should be in the future')];
  if (maker.grantsUntil !== null && (expiresAt === null || expiresAt > maker.grantsUntil)) {
    return [expiryFault('A key cannot expire later than the key that creates it')];
  }
  return [];
}

/**
 * Returns the time at which a key stops working: its expiry, or an earlier time if it was rotated; `null` means never.
 */
export function endOf({ expires_at, superseded_at }: Pick<ApiKeyRecord, 'expires_at' | 'superseded_at'>): Date | null {
  return earliest(expires_at, superseded_at);
}

/** Returns whether the key of a caller has stopped working by itself, see `endOf`. */
export function hasExpired({ expiresAt }: Pick<Caller, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** `null` means never. */
export function earliest(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Age in days from which a key should be rotated. */
const ROTATION_DAYS = 90;
const DAY_MS = 86_400_000;

/** The age of a key in whole days, and whether it should be rotated. */
export function ageOf(
  { created_at }: { readonly created_at: Date },
  now: Date,
): { days: number; rotationDue: boolean } {
  const elapsed = Math.max(0, now.getTime() - created_at.getTime()) / DAY_MS;
  return { days: Math.floor(elapsed), rotationDue: elapsed > ROTATION_DAYS };
}

function isScope(name: string): name is KeyScope {
  const known: readonly string[] = KEY_SCOPES;
  return known.includes(name);
}

function expiryFault(msg: string): Fault {
  return { path: ['expires_at'], msg, type: 'value_error' };
}
