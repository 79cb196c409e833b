import { IdentityConfig } from '@app/config';
import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository } from '../keys/api-key.repository.js';
import { keptKeyHash } from '../keys/kept-key.js';
import { userHasHistory, userHasKeys, userNotFound } from '../identity.errors.js';
import { UserRepository } from './user.repository.js';

const namesOf = (keys: readonly { readonly name: string }[]): string[] => keys.map(({ name }) => name);

/** Deletes users to whom no record refers. */
@Injectable()
export class UserDeletionService {
  constructor(
    private readonly users: UserRepository,
    private readonly keys: ApiKeyRepository,
    private readonly database: Database,
    private readonly config: IdentityConfig,
  ) {}

  /** Throws `conflict` for a user who has keys, or who has used some and may therefore appear in other records. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(async () => {
      const user = await this.users.lock(scope, id);
      if (user === undefined) throw userNotFound();
      const keys = await this.keys.ofUser(scope, id);
      if (user.acted) {
        const used = keys.filter(({ last_used }) => last_used !== null);
        throw userHasHistory(namesOf(used), used[0]?.last_used ?? undefined);
      }
      const working = keys.filter(({ revoked_at }) => revoked_at === null);
      if (working.length > 0) throw userHasKeys(namesOf(working));
      await this.keys.deleteRevoked(scope, id, keptKeyHash(this.config));
      const remaining = await this.keys.ofUser(scope, id);
      if (remaining.length > 0) throw userHasKeys(namesOf(remaining));
      await this.users.delete(scope, id);
    });
  }
}
