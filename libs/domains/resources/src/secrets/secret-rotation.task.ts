import { PeriodicTask } from '@app/dispatch';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { SecretVault } from './secret-vault.js';
import { SecretRepository } from './secret.repository.js';

const BATCH_SIZE = 100;
const BEFORE_ALL = { organization_id: '', name: '' };

/** Encrypts secrets with SECRETS_KEY that are still encrypted with SECRETS_KEY_PREVIOUS. */
@Injectable()
export class SecretRotationTask {
  private readonly logger = createLogger('secrets');

  constructor(
    private readonly secrets: SecretRepository,
    private readonly vault: SecretVault,
  ) {}

  @PeriodicTask(CronExpression.EVERY_MINUTE, 'secrets.rotate')
  async run(signal: AbortSignal): Promise<void> {
    const keyId = this.vault.outdatedKeyId;
    if (keyId === undefined) return;
    let last: typeof BEFORE_ALL | undefined = BEFORE_ALL;
    let rotated = 0;
    while (last !== undefined && !signal.aborted) {
      const batch = await this.secrets.findByKey(keyId, last, BATCH_SIZE);
      for (const secret of batch) {
        const scope = { organizationId: secret.organization_id };
        const value = this.vault.open(scope, secret.name, secret);
        if (value === undefined) {
          this.logger.error(
            { ...scope, secret_name: secret.name },
            'the stored value of a secret is damaged; it is not encrypted again',
          );
        } else {
          await this.secrets.reseal(secret, this.vault.seal(scope, secret.name, value));
          rotated += 1;
        }
      }
      last = batch.length < BATCH_SIZE ? undefined : batch.at(-1);
    }
    if (rotated > 0) this.logger.info({ secrets: rotated }, 'secrets encrypted with the new SECRETS_KEY');
  }
}
