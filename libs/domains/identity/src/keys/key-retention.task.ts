import { IdentityConfig, RetentionConfig, retentionLimit } from '@app/config';
import { PeriodicTask } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { ApiKeyRepository } from './api-key.repository.js';
import { keptKeyHash } from './kept-key.js';

const BATCH_SIZE = 500;

/** Deletes keys that were revoked, or replaced by a successor, before the configured retention period. */
@Injectable()
export class KeyRetentionTask {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly identity: IdentityConfig,
    private readonly config: RetentionConfig,
    private readonly clock: Clock,
  ) {}

  @PeriodicTask(CronExpression.EVERY_HOUR, 'identity.prune_keys')
  async run(signal: AbortSignal): Promise<void> {
    const revokedBefore = retentionLimit(this.clock.now(), this.config.revokedKeyDays);
    if (revokedBefore === undefined) return;
    const kept = keptKeyHash(this.identity);
    while (!signal.aborted && (await this.keys.pruneRevoked(revokedBefore, BATCH_SIZE, kept)) === BATCH_SIZE);
  }
}
