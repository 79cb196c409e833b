import type { Patch } from '@app/kernel';

export const USER_STATUSES = ['active', 'suspended'] as const;
/** The keys of a suspended user are rejected. */
export type UserStatus = (typeof USER_STATUSES)[number];

/** The fields a client can set. */
export interface UserFields {
  /** Unique in the organization, ignoring case; null if the user has none. */
  readonly email: string | null;
  readonly name: string;
  readonly avatar_url: string | null;
  readonly status: UserStatus;
  readonly groups: readonly string[];
}

/** A user of an organization, for whom API keys act. */
export interface User extends UserFields {
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface StoredUser extends User {
  readonly organization_id: string;
  /** The e-mail address in lower case. */
  readonly email_key: string | null;
  /** The user of keys that the operator creates without naming a user; at most one per organization. */
  readonly service: boolean;
  /** Whether a key of the user was ever used, so that other records may refer to the user. Never reset. */
  readonly acted: boolean;
}

/** Row of a new user, without its organization. */
export type NewUser = Omit<StoredUser, 'organization_id' | 'email_key'>;
export type CreateUser = Pick<UserFields, 'name'> & Patch<Omit<UserFields, 'status'>>;
export type UpdateUser = Patch<UserFields>;

export interface UserFilter {
  readonly name?: string;
  /** The whole address, ignoring case. */
  readonly email?: string;
  readonly status?: UserStatus;
}
