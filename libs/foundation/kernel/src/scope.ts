/**
 * The tenant of a call. Every repository method that reads or writes for a request takes the organization, as its first
 * argument or in the row, and the query itself contains it, so rows of other organizations are never read.
 */
export interface Scope {
  readonly organizationId: string;
}

/** The scopes of keys, as the specification defines them; `admin` grants all of them. */
export const KEY_SCOPES = [
  'agents:read',
  'agents:write',
  'tasks:read',
  'tasks:execute',
  'workflows:read',
  'workflows:manage',
  'knowledge:read',
  'knowledge:write',
  'runners:read',
  'runners:manage',
  'integrations:read',
  'integrations:write',
  'webhooks:manage',
  'admin',
] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** Maximum numbers of requests of one key to the platform API; `null`: the number in the configuration. */
export interface RateLimits {
  /** Within 10 seconds. */
  readonly burst: number | null;
  readonly per_minute: number | null;
  readonly per_day: number | null;
}

/** The caller: its key, the organization of the key, and the user for whom the key acts. */
export interface Caller extends Scope {
  readonly keyId: string;
  readonly keyName: string;
  readonly scopes: readonly KeyScope[];
  readonly userId: string;
  readonly userName: string | null;
  readonly userEmail: string | null;
  readonly userAvatar: string | null;
  /** When the key stops working; `null` means never. */
  readonly expiresAt: Date | null;
  /**
   * Latest expiry time of keys that it creates: its own expiry time, which a rotation does not change. `null`: no
   * limit.
   */
  readonly grantsUntil: Date | null;
  /** Limits of the key that differ from the configuration; `null`: none differs. */
  readonly rateLimits: RateLimits | null;
}

/** The user who last changed a row, with the email address at that time; null: unknown. */
export interface ChangedBy {
  readonly updated_by: string | null;
  readonly updated_by_email: string | null;
}

export function changedBy({
  userId,
  userEmail,
}: Pick<Caller, 'userId' | 'userEmail'>): ChangedBy & { readonly updated_by: string } {
  return { updated_by: userId, updated_by_email: userEmail };
}

export function grants(caller: Pick<Caller, 'scopes'>, scope: KeyScope): boolean {
  return caller.scopes.includes(scope) || caller.scopes.includes('admin');
}
