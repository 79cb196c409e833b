import { Database } from '@app/database';
import { Clock, withoutUndefined, type Caller, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository } from './api-key.repository.js';
import { keyNotFound, lastAdminKey } from '../identity.errors.js';
import type { ApiKeyRecord, MintedKey, RotateKey, StoredApiKey, UpdateKey } from './key.types.js';
import { KeyCache } from '../authentication/key-cache.js';
import { earliest } from './key-rules.js';
import { KeyService } from './key.service.js';
import { UserRepository } from '../users/user.repository.js';

/** Changes keys that exist. The changes take effect at once in this process, within a second in others. */
@Injectable()
export class KeyChangeService {
  private readonly logger = createLogger('identity');

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly users: UserRepository,
    private readonly minting: KeyService,
    private readonly cache: KeyCache,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` if the key does not exist or is revoked. */
  async update(scope: Scope, id: string, changes: UpdateKey): Promise<ApiKeyRecord> {
    const changed = await this.keys.update(scope, id, withoutUndefined(changes));
    if (changed === undefined) throw keyNotFound();
    this.cache.broadcastChange([changed.hash]);
    return changed;
  }

  /**
   * Creates a successor with the name, scopes, user and limits of a key. The old key then works for at most the given
   * time. The successor expires when the old key would have expired without a rotation, unless another time is given,
   * and with the minting key at the latest. A second rotation, after a lost response, creates an equal successor.
   * Throws `not_found` if the key does not exist or is revoked, `api_key_is_last_admin` if no key with the scope
   * `admin` would work when the old one ends, and the errors of `KeyService.mint`.
   */
  async rotate(maker: Caller, id: string, { overlapSeconds, expires_at }: RotateKey): Promise<MintedKey> {
    return this.database.transaction(async () => {
      await this.users.lockAdmins(maker);
      const old = await this.keys.lock(maker, id);
      if (old === undefined) throw keyNotFound();
      const { name, description, scopes, user_id, rate_limits } = old;
      const expiry = expires_at ?? earliest(old.expires_at, maker.grantsUntil);
      const successor = { name, description, scopes, user_id, rate_limits, expires_at: expiry };
      const minted = await this.minting.mint(maker, successor);
      const overlapEnd = new Date(this.clock.millis() + overlapSeconds * 1000);
      const endsAt = earliest(old.superseded_at, overlapEnd) ?? overlapEnd;
      await this.keys.update(maker, id, { superseded_at: endsAt });
      if (old.scopes.includes('admin')) await this.requireAdminAfter(maker, old, endsAt);
      this.database.afterCommit(() => {
        this.cache.broadcastChange([old.hash]);
        const ids = { key_id: id, successor_id: minted.id, organization_id: maker.organizationId };
        this.logger.info({ ...ids, ends_at: endsAt }, 'key rotated');
      });
      return minted;
    });
  }

  /**
   * Does nothing if the key expires before the rotation would end it, because then the rotation does not reduce the
   * number of admin keys.
   */
  private async requireAdminAfter(scope: Scope, { expires_at }: StoredApiKey, endsAt: Date): Promise<void> {
    if (expires_at !== null && expires_at <= endsAt) return;
    if (!(await this.keys.existsAdminKey(scope, endsAt))) throw lastAdminKey();
  }
}
