import { SECRET_PREFIX } from '@app/kernel';

/** The encrypted form of a value. */
export interface SealedSecret {
  readonly sealed: Buffer;
  /** Id of the key with which it is encrypted. */
  readonly key_id: string;
}

/** A secret as clients see it, without its value. */
export interface Secret {
  /** Unique in the organization. */
  readonly name: string;
  readonly organization_id: string;
  readonly created_by: string | null;
  readonly updated_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface StoredSecret extends Secret, SealedSecret {}

/** Row of a new secret, without its organization. */
export type NewSecret = Omit<StoredSecret, 'organization_id'>;

/** The values of secrets by name, and for secrets that cannot be resolved, the reasons by name. */
export interface ResolvedSecrets {
  readonly values: ReadonlyMap<string, string>;
  readonly failures: ReadonlyMap<string, string>;
}

/** Returns the name of the secret to which a value of the form `secret:NAME` refers; undefined for other values. */
export function secretIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith(SECRET_PREFIX) ? value.slice(SECRET_PREFIX.length) : undefined;
}

/** A reference to a secret and its path in the JSON value that contains it. */
export interface SecretReference {
  readonly name: string;
  readonly path: readonly string[];
}

/** Returns all references in a JSON value, at any depth. */
export function secretReferences(value: unknown, path: readonly string[] = []): SecretReference[] {
  const name = secretIn(value);
  if (name !== undefined) return [{ name, path }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => secretReferences(child, [...path, key]));
}
