import { Database } from '@app/database';
import { Clock, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository } from './api-key.repository.js';
import { keyNotFound, lastAdminKey } from '../identity.errors.js';
import type { StoredApiKey } from './key.types.js';
import { KeyCache } from '../authentication/key-cache.js';
import { UserRepository } from '../users/user.repository.js';

/** Revokes API keys permanently: at once in this process, within a second in others. */
@Injectable()
export class KeyRevocationService {
  private readonly logger = createLogger('identity');

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly users: UserRepository,
    private readonly cache: KeyCache,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws `not_found` if the key does not exist or is already revoked, and `api_key_is_last_admin` if no other working
   * key has the scope `admin`.
   */
  async revoke(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(async () => {
      await this.users.lockAdmins(scope);
      const { scopes } = await this.end(scope, id);
      if (!scopes.includes('admin')) return;
      if (!(await this.keys.existsAdminKey(scope, this.clock.now()))) throw lastAdminKey();
    });
  }

  /** Revokes any key, also the last one with the scope `admin`: the operator can create another one. */
  async revokeAny(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(() => this.end(scope, id));
  }

  private async end(scope: Scope, id: string): Promise<Pick<StoredApiKey, 'scopes'>> {
    const revoked = await this.keys.revoke(scope, id, this.clock.now());
    if (revoked === undefined) throw keyNotFound();
    this.database.afterCommit(() => {
      this.cache.broadcastChange([revoked.hash]);
      this.logger.info({ key_id: id, organization_id: scope.organizationId }, 'key revoked');
    });
    return revoked;
  }
}
