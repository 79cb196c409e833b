import type { KeyScope } from '@app/kernel';

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A key as it is shown: never the key itself nor its hash. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly KeyScope[];
  readonly created_at: Date;
  readonly last_used: Date | null;
  readonly expires_at: Date | null;
}

/** The answer to minting a key: the only moment in which the key itself is known. */
export interface MintedKey extends ApiKeyRecord {
  readonly key: string;
}

export interface MintKey {
  readonly name: string;
  readonly description: string | null;
  /** `undefined`: the maker's own scopes. `[]`: none. */
  readonly scopes?: readonly string[];
  /** `null`: the maker's own expiry. */
  readonly expires_at: Date | null;
}

/** The person a key acts for. */
export interface KeyOwner {
  readonly user_id: string;
  readonly user_name: string | null;
  readonly user_email: string | null;
  readonly user_avatar: string | null;
}
