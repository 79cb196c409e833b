/**
 * The tenant a call works in. Every repository method takes it first and puts it into the query itself, so another
 * organisation's row is never read, let alone filtered out afterwards.
 */
export interface Scope {
  readonly organizationId: string;
}

/** What a key may do. The set is the specification's; `admin` grants all of them. */
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

/** Who calls: the key, the organisation it belongs to, and the person the key acts for. */
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
}

export function grants(caller: Pick<Caller, 'scopes'>, scope: KeyScope): boolean {
  return caller.scopes.includes(scope) || caller.scopes.includes('admin');
}
