import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { createTestContext, type TestContext } from './test-context.js';

describe('the connections of a test context', () => {
  let context: TestContext;
  let connections: RedisConnections;

  beforeAll(async () => {
    context = await createTestContext([]);
    connections = context.get(RedisConnections);
  });
  afterAll(() => context.close());

  it('reject a command and a script with keys of two slots', async () => {
    const { commands } = connections;
    await expect(commands.mset('{a}', '1', '{b}', '2')).rejects.toThrow('CROSSSLOT: the keys of mset');
    await expect(commands.eval('return 1', 2, '{a}1', '{b}1')).rejects.toThrow('CROSSSLOT: the keys of eval');
    commands.defineCommand('ofTwoSlots', { numberOfKeys: 2, lua: 'return 1' });
    const { ofTwoSlots } = commands as unknown as { ofTwoSlots: (...keys: string[]) => Promise<number> };
    await expect(ofTwoSlots.call(commands, '{a}1', '{b}1')).rejects.toThrow('CROSSSLOT: the keys of eval');
    expect(await ofTwoSlots.call(commands, '{a}1', '{a}2')).toBe(1);
  });

  it('reject a transaction with keys of two slots, also for the queues', async () => {
    for (const connection of [connections.commands, connections.forQueues]) {
      const transaction = connection.multi().set('{a}1', '1').set('{b}1', '1').exec();
      await expect(transaction).rejects.toThrow('CROSSSLOT: the keys of exec');
      expect(await connection.multi().set('{a}1', '1').set('{a}2', '1').exec()).toHaveLength(2);
    }
  });
});
