import { getRequired, type Caller, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { organizationNotFound } from '../identity.errors.js';
import type { ApiKeyRecord, MintedKey, MintKey } from '../keys/key.types.js';
import type { Organization } from './organization.types.js';
import { KeyService } from '../keys/key.service.js';
import { OrganizationRepository } from './organization.repository.js';
import { UserService } from '../users/user.service.js';
import type { CreateUser, User, UserStatus } from '../users/user.types.js';

const PAGE_SIZE = 1000;

/** A key with the user for whom it acts. */
export interface KeyWithUser extends ApiKeyRecord {
  readonly user: User;
}

/**
 * Operations across organizations, reserved for the operator of the installation. No API calls them: access to the
 * database is the authorization.
 */
@Injectable()
export class OperatorService {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly keys: KeyService,
    private readonly users: UserService,
  ) {}

  async listOrganizations(): Promise<readonly Organization[]> {
    return this.organizations.list();
  }

  async findOrganization(idOrSlug: string): Promise<Organization> {
    const organization = await this.organizations.findByIdOrSlug(idOrSlug);
    if (organization === undefined) throw organizationNotFound();
    return organization;
  }

  /** Creates a key for the user with this id or e-mail address; by default for the service user of the organization. */
  async createKey(organization: Organization, request: MintKey, idOrEmail?: string): Promise<MintedKey> {
    const scope = scopeOf(organization);
    const user =
      idOrEmail === undefined
        ? await this.users.ensureService(scope)
        : await this.users.readByIdOrEmail(scope, idOrEmail);
    return this.keys.mint(operatorAs(organization, user), request);
  }

  /** Returns the keys that are not revoked, newest first. */
  async listKeys(organization: Organization): Promise<readonly KeyWithUser[]> {
    const scope = scopeOf(organization);
    const keys = await allPages((page) => this.keys.list(scope, page));
    const ids = keys.map(({ user_id }) => user_id);
    const users = await this.users.byIds(scope, ids);
    return keys.map((key) => ({ ...key, user: getRequired(users, key.user_id) }));
  }

  async createUser(organization: Organization, request: CreateUser): Promise<User> {
    return this.users.create(scopeOf(organization), request);
  }

  /** Newest first. */
  async listUsers(organization: Organization): Promise<readonly User[]> {
    return allPages((page) => this.users.list(scopeOf(organization), {}, page));
  }

  /** Suspends or activates the user with this id or e-mail address. */
  async setUserStatus(organization: Organization, idOrEmail: string, status: UserStatus): Promise<User> {
    const scope = scopeOf(organization);
    const { id } = await this.users.readByIdOrEmail(scope, idOrEmail);
    return this.users.setStatus(scope, id, status);
  }

  /** Throws `not_found` if there is no such key or it is already revoked. */
  async revokeKey(organization: Organization, keyId: string): Promise<void> {
    await this.keys.revokeAny(scopeOf(organization), keyId);
  }
}

async function allPages<T>(list: (page: Page) => Promise<PageResult<T>>): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = { skip: 0, limit: PAGE_SIZE, total: false, ...(cursor === undefined ? {} : { cursor }) };
    const { items, nextCursor } = await list(page);
    all.push(...items);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}

function scopeOf({ id }: Organization): Scope {
  return { organizationId: id };
}

/** Returns the operator as a caller that acts for the user, with the rights of an admin key that never expires. */
function operatorAs(organization: Organization, user: User): Caller {
  return {
    organizationId: organization.id,
    keyId: 'operator',
    keyName: 'operator',
    scopes: ['admin'],
    userId: user.id,
    userName: user.name,
    userEmail: user.email,
    userAvatar: user.avatar_url,
    expiresAt: null,
    grantsUntil: null,
    rateLimits: null,
  };
}
