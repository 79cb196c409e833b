import { Database, rejectDuplicate } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { userEmailTaken } from '../identity.errors.js';
import { UserEntity } from './user.entity.js';
import { FIND_USER, LOCK_ADMINS } from './user.sql.js';
import type { NewUser, StoredUser, UpdateUser, UserFilter } from './user.types.js';

const UNIQUE_EMAIL = 'uq_users_organization_id_email_key';

@Injectable()
export class UserRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, user: NewUser): Promise<StoredUser> {
    const row = { ...user, email_key: keyOf(user.email), organization_id: organizationId };
    return rejectDuplicate(this.database.insert(UserEntity, row), UNIQUE_EMAIL, () => userEmailTaken(user.email ?? ''));
  }

  /** Inserts a user. Does nothing if the user is a service user and the organization already has one. */
  async insertIfMissing({ organizationId }: Scope, user: NewUser): Promise<void> {
    const row = { ...user, email_key: keyOf(user.email), organization_id: organizationId };
    await this.database.insertIfMissing(UserEntity, row);
  }

  /** Newest first. */
  async list({ organizationId }: Scope, filter: UserFilter, page: Page): Promise<PageResult<StoredUser>> {
    const { name, email, status } = filter;
    const email_key = email === undefined ? undefined : (keyOf(email) ?? undefined);
    const where = { ...withoutUndefined({ name, email_key, status }), organization_id: organizationId };
    const query = this.database.select(UserEntity, 'users', where).orderBy('users.created_at', 'DESC');
    return this.database.listPage(query, page);
  }

  async find({ organizationId }: Scope, id: string): Promise<StoredUser | undefined> {
    const [user] = await this.database.shared<StoredUser>(FIND_USER, [organizationId, id]);
    return user;
  }

  /** Returns the user with this id, otherwise the user with this e-mail address, ignoring case. */
  async findByIdOrEmail({ organizationId }: Scope, idOrEmail: string): Promise<StoredUser | undefined> {
    const organization = { organization_id: organizationId };
    const byId = { ...organization, id: idOrEmail };
    return this.database.findOne(UserEntity, [byId, { ...organization, email_key: idOrEmail.toLowerCase() }]);
  }

  async findService({ organizationId }: Scope): Promise<StoredUser | undefined> {
    return this.database.findOne(UserEntity, { organization_id: organizationId, service: true });
  }

  /** Returns the users that exist, by id. */
  async findByIds({ organizationId }: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, StoredUser>> {
    const where = { organization_id: organizationId, id: In([...new Set(ids)]) };
    const found = await this.database.repository(UserEntity).findBy(where);
    return new Map(found.map((user) => [user.id, user]));
  }

  /** Locks the row until the transaction ends. */
  async lock({ organizationId }: Scope, id: string): Promise<StoredUser | undefined> {
    return this.database.lockOne(UserEntity, { id, organization_id: organizationId });
  }

  /**
   * Acquires the lock of the organization's admin keys until the transaction ends. Suspensions of users, and
   * revocations and rotations of keys, hold it.
   */
  async lockAdmins({ organizationId }: Scope): Promise<void> {
    await this.database.sql(LOCK_ADMINS, [organizationId]);
  }

  async update(
    { organizationId }: Scope,
    id: string,
    changes: UpdateUser & { readonly updated_at: Date },
  ): Promise<StoredUser | undefined> {
    const key = changes.email === undefined ? {} : { email_key: keyOf(changes.email) };
    const updated = this.database.update(UserEntity, { id, organization_id: organizationId }, { ...changes, ...key });
    return rejectDuplicate(updated, UNIQUE_EMAIL, () => userEmailTaken(changes.email ?? ''));
  }

  /** Returns false if there is no such user. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(UserEntity, { id, organization_id: organizationId });
  }
}

/**
 * Returns the form in which addresses are compared. It is computed here because `lower` of PostgreSQL depends on the
 * locale of the database.
 */
function keyOf(email: string | null): string | null {
  return email === null ? null : email.toLowerCase();
}
