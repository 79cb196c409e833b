import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExecutionsModule } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { loadConfig, SecretsConfig } from '@app/config';
import { Database, EntityUses } from '@app/database';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { IntegrationService } from '../integrations/integration.service.js';
import { ResourcesModule } from '../resources.module.js';
import { SecretRotationTask } from './secret-rotation.task.js';
import { SecretVault } from './secret-vault.js';
import { SecretRepository } from './secret.repository.js';
import { SecretService } from './secret.service.js';

const newKey = (): string => randomBytes(32).toString('base64');
const PAGE = { skip: 0, limit: 100 };

describe('SecretService', () => {
  const clock = new ManualClock();
  const [oldKey, key] = [newKey(), newKey()];
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule, ResourcesModule], {
      clock,
    });
  });

  afterAll(() => context.close());

  const vaultWith = (SECRETS_KEY?: string, SECRETS_KEY_PREVIOUS?: string): SecretVault =>
    new SecretVault(loadConfig(SecretsConfig, { SECRETS_KEY, SECRETS_KEY_PREVIOUS }));

  const secretsWith = (...keys: (string | undefined)[]): SecretService =>
    new SecretService(
      context.get(SecretRepository),
      context.get(EntityUses),
      vaultWith(...keys),
      context.get(Database),
      clock,
    );

  const rotationWith = (...keys: (string | undefined)[]): SecretRotationTask =>
    new SecretRotationTask(context.get(SecretRepository), vaultWith(...keys));

  it('returns every value unchanged, and stores none in readable form', async () => {
    const caller = testCaller();
    const secrets = secretsWith(key);
    await secrets.create(caller, 'ANY', 'at first');
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        await secrets.replace(caller, 'ANY', value);
        expect((await secrets.resolve(caller, ['ANY'])).values).toEqual(new Map([['ANY', value]]));
      }),
      { numRuns: 25 },
    );
    await secrets.replace(caller, 'ANY', 'a value that is easy to find');
    const rows = await context
      .get(Database)
      .sql("SELECT s::text AS row, encode(sealed, 'escape') AS text FROM secrets s");
    expect(JSON.stringify(rows)).not.toContain('easy to find');
    expect(JSON.stringify([await secrets.list(caller, PAGE), await secrets.read(caller, 'ANY')])).not.toContain(
      'sealed',
    );
  });

  it('cannot open a value that was moved to another name or organization', async () => {
    const [caller, other] = [testCaller(), testCaller()];
    const secrets = secretsWith(key);
    await secrets.create(caller, 'MINE', 'value of mine');
    const move =
      'INSERT INTO secrets SELECT $1, $2, sealed, key_id, created_by, updated_by, created_at, updated_at FROM secrets';
    const from = ` WHERE organization_id = '${caller.organizationId}' AND name = 'MINE'`;
    await context.get(Database).sql(move + from, [other.organizationId, 'MINE']);
    await context.get(Database).sql(move + from, [caller.organizationId, 'MOVED']);
    expect((await secrets.resolve(other, ['MINE'])).failures.get('MINE')).toMatch('cannot be decrypted');
    const { values, failures } = await secrets.resolve(caller, ['MINE', 'MOVED', 'NONE']);
    expect([...values]).toEqual([['MINE', 'value of mine']]);
    expect([...failures]).toEqual([
      ['MOVED', 'cannot be decrypted with the SECRETS_KEY in use'],
      ['NONE', 'does not exist'],
    ]);
  });

  it('needs a key to store and to use a value, not to list or delete one', async () => {
    const caller = testCaller();
    await secretsWith(key).create(caller, 'KEPT', 'value');
    const keyless = secretsWith();
    const missing = { code: 'secrets_key_missing', message: expect.stringContaining('SECRETS_KEY') };
    await expect(keyless.create(caller, 'NEW', 'value')).rejects.toMatchObject(missing);
    await expect(keyless.replace(caller, 'KEPT', 'value')).rejects.toMatchObject(missing);
    expect((await keyless.resolve(caller, ['KEPT'])).failures.get('KEPT')).toMatch('SECRETS_KEY');
    expect((await keyless.list(caller, PAGE)).total).toBe(1);
    await keyless.delete(caller, 'KEPT');
    await expect(keyless.delete(caller, 'KEPT')).rejects.toMatchObject({ code: 'secret_not_found' });
  });

  it('reads values with the previous key until the rotation has encrypted all with the new one', async () => {
    const caller = testCaller();
    for (let n = 0; n < 3; n += 1) await secretsWith(oldKey).create(caller, `OLD_${n}`, `value ${n}`);
    const [before] = (await secretsWith(key, oldKey).list(caller, PAGE)).items;
    const names = ['OLD_0', 'OLD_1', 'OLD_2'];
    const readable = async (...keys: string[]): Promise<number> =>
      (await secretsWith(...keys).resolve(caller, names)).values.size;
    expect([await readable(key), await readable(key, oldKey)]).toEqual([0, 3]);
    await rotationWith(key).run(AbortSignal.timeout(60_000));
    expect(await readable(key)).toBe(0);
    await rotationWith(key, oldKey).run(AbortSignal.timeout(60_000));
    await rotationWith(key, oldKey).run(AbortSignal.timeout(60_000));
    expect([await readable(key), await readable(oldKey)]).toEqual([3, 0]);
    expect((await secretsWith(key).list(caller, PAGE)).items[0]).toEqual(before);
  });

  it('rejects the deletion of a secret to which an integration refers, and references to missing secrets', async () => {
    const caller = testCaller();
    const secrets = secretsWith(key);
    const integrations = context.get(IntegrationService);
    const use = (name: string) => ({
      configuration: { env_vars: { A: `secret:${name}` }, deep: [{ b: 'secret:TWO' }] },
    });
    await secrets.create(caller, 'ONE', 'value');
    await expect(integrations.create(caller, { name: 'i', type: 't', ...use('ONE') })).rejects.toMatchObject({
      faults: [{ path: ['configuration', 'deep', '0', 'b'], msg: 'There is no secret named TWO', type: 'value_error' }],
    });
    await secrets.create(caller, 'TWO', 'value');
    const { id } = await integrations.create(caller, { name: 'mail', type: 'smtp', ...use('ONE') });
    await expect(secrets.delete(caller, 'ONE')).rejects.toMatchObject({
      code: 'secret_in_use',
      message: `The secret ONE is used by: integration mail (${id}); remove it there first`,
    });
    await expect(integrations.update(caller, id, use('THREE'))).rejects.toThrow('There is no secret named THREE');
    await integrations.update(caller, id, { tags: ['still in use'] });
    await expect(secrets.delete(caller, 'TWO')).rejects.toMatchObject({ code: 'secret_in_use' });
    const others: string[] = [];
    for (let n = 1; n <= 11; n += 1) {
      others.push((await integrations.create(caller, { name: `n${n}`, type: 't', ...use('ONE') })).id);
    }
    await expect(secrets.delete(caller, 'ONE')).rejects.toMatchObject({
      message: expect.stringMatching(
        /^The secret ONE is used by: integration mail \(.*\), integration n1 \(.* and 2 more; remove/,
      ),
    });
    await Promise.all(others.map((other) => integrations.delete(caller, other)));
    await integrations.update(caller, id, { configuration: {} });
    await secrets.delete(caller, 'ONE');
  });

  it('rejects an integration change that stops the redaction of a value, from a key without agents:write', async () => {
    const caller = testCaller();
    const writer = { ...caller, scopes: ['integrations:write'] as const };
    const integrations = context.get(IntegrationService);
    const configuration = { secrets: ['TOKEN'] };
    const { id } = await integrations.create(caller, { name: 'redacted', type: 't', configuration });
    const shown = integrations.update(writer, id, { configuration: { secrets: [] } });
    await expect(shown).rejects.toMatchObject({
      code: 'insufficient_scope',
      message: expect.stringContaining('TOKEN'),
    });
    const more = { configuration: { secrets: ['TOKEN', 'OTHER'] } };
    expect(await integrations.update(writer, id, more)).toMatchObject(more);
  });

  it('never deletes a secret to which an integration begins to refer at the same time', async () => {
    const caller = testCaller();
    const secrets = secretsWith(key);
    for (let n = 0; n < 10; n += 1) {
      const name = `RACED_${n}`;
      await secrets.create(caller, name, 'value');
      const integration = { name, type: 't', configuration: { a: `secret:${name}` } };
      const [created, deleted] = await Promise.allSettled([
        context.get(IntegrationService).create(caller, integration),
        secrets.delete(caller, name),
      ]);
      expect([created.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
    }
  });
});
