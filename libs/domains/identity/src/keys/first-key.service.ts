import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { describeKey } from './api-key-format.js';
import type { KeyMaterial, MintedKey } from './key.types.js';
import { KeyService } from './key.service.js';
import { UserService } from '../users/user.service.js';
import type { CreateUser } from '../users/user.types.js';

/** Creates keys without a minting key: the first one of an organization, and those of the configuration. */
@Injectable()
export class FirstKeyService {
  constructor(
    private readonly users: UserService,
    private readonly keys: KeyService,
  ) {}

  /** Adds a key with the scope `admin`, for a new user with the values of the owner, or for the service user. */
  async add(scope: Scope, material: KeyMaterial, owner?: CreateUser): Promise<MintedKey> {
    const user = owner === undefined ? await this.users.ensureService(scope) : await this.users.create(scope, owner);
    const key = {
      name: 'admin',
      description: 'Admin key created by the operator',
      scopes: ['admin'] as const,
      expires_at: null,
      user_id: user.id,
      rate_limits: null,
    };
    return this.keys.store(scope, key, material);
  }

  /** Adds this key for the service user unless it was stored before: a revoked key stays revoked. */
  async ensure(scope: Scope, key: string): Promise<void> {
    if (!(await this.keys.exists(key))) await this.add(scope, describeKey(key));
  }
}
