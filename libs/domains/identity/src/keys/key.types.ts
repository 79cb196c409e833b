import type { KeyScope, Patch, RateLimits } from '@app/kernel';

/** Public fields of a key: neither the key nor its hash. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly KeyScope[];
  /** The user for whom the key acts. */
  readonly user_id: string;
  readonly created_at: Date;
  readonly last_used: Date | null;
  readonly expires_at: Date | null;
  /** When the key stops working because it was rotated; `null` if it was not rotated. */
  readonly superseded_at: Date | null;
  /** Limits that differ from the configuration; `null`: none differs. */
  readonly rate_limits: RateLimits | null;
}

/** The row of a key. The key itself is not stored. */
export interface StoredApiKey extends ApiKeyRecord {
  readonly organization_id: string;
  /** SHA-256 of the key; unique. */
  readonly hash: string;
  readonly prefix: string;
  readonly last_four: string;
  readonly revoked_at: Date | null;
}

/** Row of a new key, without its organization. */
export type NewApiKey = Omit<StoredApiKey, 'organization_id'>;

/** A new key. This is the only result that contains the plain key. */
export interface MintedKey extends ApiKeyRecord {
  readonly key: string;
}

export interface MintKey {
  readonly name: string;
  readonly description: string | null;
  /** `undefined`: the scopes of the minting key. `[]`: none. */
  readonly scopes?: readonly string[];
  /** `null`: the expiry of the minting key. */
  readonly expires_at: Date | null;
  /** The user for whom the key acts; absent or `null`: the user of the minting key. */
  readonly user_id?: string | null;
  /** Absent: the limits of the configuration. */
  readonly rate_limits?: RateLimits | null;
}

export type UpdateKey = Patch<Pick<ApiKeyRecord, 'name' | 'description' | 'rate_limits'>>;

export interface RotateKey {
  /** Maximum time for which the old key still works together with its successor. */
  readonly overlapSeconds: number;
  /** Expiry of the successor; `null`: that of the old key. */
  readonly expires_at: Date | null;
}

/** A plain key with the stored data that is computed from it. */
export interface KeyMaterial {
  /** The plain key: shown once, never stored. */
  readonly key: string;
  readonly hash: string;
  readonly prefix: string;
  readonly last_four: string;
}
