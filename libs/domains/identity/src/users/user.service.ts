import { Database } from '@app/database';
import { Clock, newId, type Page, type PageResult, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository } from '../keys/api-key.repository.js';
import { lastAdmin, userNotFound } from '../identity.errors.js';
import { KeyCache } from '../authentication/key-cache.js';
import { UserRepository } from './user.repository.js';
import type { CreateUser, NewUser, UpdateUser, User, UserFields, UserFilter, UserStatus } from './user.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<UserFields, 'name'> = { email: null, avatar_url: null, status: 'active', groups: [] };

const SERVICE_USER_NAME = 'admin';

/** The users of organizations. Changes apply to every key of the user in every process within a second. */
@Injectable()
export class UserService {
  private readonly logger = createLogger('identity');

  constructor(
    private readonly users: UserRepository,
    private readonly keys: ApiKeyRepository,
    private readonly cache: KeyCache,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async create(scope: Scope, request: CreateUser): Promise<User> {
    return this.users.insert(scope, this.newUser(request));
  }

  /**
   * Returns the service user of the organization; creates it if it is missing. Keys that the operator creates without
   * naming a user act for it.
   */
  async ensureService(scope: Scope): Promise<User> {
    const existing = await this.users.findService(scope);
    if (existing !== undefined) return existing;
    await this.users.insertIfMissing(scope, { ...this.newUser({ name: SERVICE_USER_NAME }), service: true });
    const user = await this.users.findService(scope);
    if (user === undefined) throw userNotFound();
    return user;
  }

  /** Newest first. */
  async list(scope: Scope, filter: UserFilter, page: Page): Promise<PageResult<User>> {
    return this.users.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<User> {
    const user = await this.users.find(scope, id);
    if (user === undefined) throw userNotFound();
    return user;
  }

  /** Returns undefined if there is no such user. */
  async find(scope: Scope, id: string): Promise<User | undefined> {
    return this.users.find(scope, id);
  }

  /** Returns the users that exist, by id. */
  async byIds(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, User>> {
    return this.users.findByIds(scope, ids);
  }

  /** Returns the user with this id, otherwise the user with this e-mail address, ignoring case. */
  async readByIdOrEmail(scope: Scope, idOrEmail: string): Promise<User> {
    const user = await this.users.findByIdOrEmail(scope, idOrEmail);
    if (user === undefined) throw userNotFound();
    return user;
  }

  /** Throws `user_is_last_admin` for a suspension that would leave the organization without a working admin key. */
  async update(scope: Scope, id: string, changes: UpdateUser): Promise<User> {
    return this.database.transaction(async () => {
      if (changes.status === 'suspended') await this.users.lockAdmins(scope);
      const updated = await this.change(scope, id, changes);
      const isSuspension = changes.status === 'suspended';
      if (isSuspension && !(await this.keys.existsAdminKey(scope, this.clock.now()))) throw lastAdmin();
      return updated;
    });
  }

  /** Suspends or activates any user, also the last admin: the operator can create another admin key. */
  async setStatus(scope: Scope, id: string, status: UserStatus): Promise<User> {
    return this.database.transaction(() => this.change(scope, id, { status }));
  }

  private async change(scope: Scope, id: string, changes: UpdateUser): Promise<User> {
    const updated = await this.users.update(scope, id, { ...changes, updated_at: this.clock.now() });
    if (updated === undefined) throw userNotFound();
    const hashes = await this.keys.hashesOf(scope, id);
    this.database.afterCommit(() => {
      this.cache.broadcastChange(hashes);
      const { organizationId: organization_id } = scope;
      this.logger.info({ user_id: id, organization_id, status: updated.status }, 'user changed');
    });
    return updated;
  }

  private newUser(request: CreateUser): NewUser {
    const now = this.clock.now();
    return { ...DEFAULTS, ...request, id: newId(), service: false, acted: false, created_at: now, updated_at: now };
  }
}
