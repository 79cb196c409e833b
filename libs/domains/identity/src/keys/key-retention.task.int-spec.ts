import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import { describeKey } from './api-key-format.js';
import { FirstKeyService } from './first-key.service.js';
import { IdentityHandlersModule } from '../identity.handlers.module.js';
import { KeyRetentionTask } from './key-retention.task.js';
import { KeyService } from './key.service.js';
import { OrganizationService } from '../organizations/organization.service.js';

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

describe('KeyRetentionTask', () => {
  const clock = new ManualClock();
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([IdentityHandlersModule], { clock });
  });

  afterAll(() => context.close());

  it('deletes keys a year after they were revoked, but never the configured first key', async () => {
    const { organization } = await context.get(OrganizationService).create('retention');
    const chosen = 'a chosen first key of the installation';
    const { id: chosenId } = await context
      .get(FirstKeyService)
      .add({ organizationId: organization.id }, describeKey(chosen));
    await context.database.sql('UPDATE api_keys SET revoked_at = $1 WHERE organization_id = $2', [
      clock.now(),
      organization.id,
    ]);
    const task = context.get(KeyRetentionTask);
    const identity = task['identity'] as { bootstrapAdminKey: string | null };
    identity.bootstrapAdminKey = chosen;
    const keyIds = async (): Promise<string[]> =>
      (await context.database.sql<{ id: string }>('SELECT id FROM api_keys')).map(({ id }) => id);
    clock.advance(364 * DAY_MS);
    await task.run(never);
    expect(await keyIds()).toHaveLength(2);
    clock.advance(2 * DAY_MS);
    await task.run(never);
    expect(await keyIds()).toEqual([chosenId]);
    expect(await context.get(KeyService).exists(chosen)).toBe(true);
  });
});
