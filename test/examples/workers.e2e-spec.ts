import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { TestedApp } from '../support/tested-app.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { ofType, Scenario } from '../support/scenario.js';

const PROMPT = 'Say "hé\n" to 🎉';

const EXAMPLES = [
  {
    entry: 'examples/workers/worker.py',
    interpreter: 'python3',
    needs: ['python3'],
    response: `agent received: ${PROMPT}`,
  },
  {
    entry: 'examples/workers/worker.sh',
    interpreter: 'sh',
    needs: ['curl', 'python3'],
    response: PROMPT.toLowerCase(),
  },
];

describe('the example workers', () => {
  let platform: Platform;
  let user: Scenario;
  let workerKey: string;
  let worker: TestedApp | undefined;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    const created = await call('POST', `${platform.platformApi?.url}/api/v1/auth/keys`, {
      key: platform.adminKey,
      scheme: 'UserKey',
      body: { name: 'worker', scopes: ['runners:manage', 'tasks:execute'] },
    });
    workerKey = (created.body as { key: string }).key;
  });

  afterEach(async () => {
    await worker?.kill('SIGKILL');
  });
  afterAll(() => platform.stop());

  for (const { entry, interpreter, needs, response } of EXAMPLES) {
    const missing = needs.filter((program) => spawnSync(program, ['--version']).error !== undefined);
    const test = missing.length === 0 ? it : it.skip;
    const reason = missing.length === 0 ? '' : ` (skipped, not installed: ${missing.join(', ')})`;

    test(`${entry} completes executions, and disconnects on SIGTERM${reason}`, async () => {
      const queueId = await user.newQueue(entry.split('.').at(-1) ?? '');
      const env = {
        CONTROL_PLANE_URL: platform.url,
        WORKER_API_KEY: workerKey,
        WORKER_QUEUE: queueId,
        WORKER_COMMAND: 'tr A-Z a-z',
      };
      worker = await new TestedApp({ entry, interpreter, env, ready: /worker ready/ }).start();
      const agentId = await user.newAgent();
      for (const _ of [1, 2]) {
        const executionId = await user.execute(agentId, PROMPT, queueId);
        expect(await user.waitUntilEnded(executionId)).toMatchObject({ status: 'completed', response });
        const messages = ofType(await user.readEvents(executionId), 'message');
        expect(messages.map(({ data }) => data['content'])).toEqual([response]);
      }
      expect(await worker.kill('SIGTERM')).toBe(0);
      const params = { query: { worker_queue_id: queueId } };
      const workers = await unwrap(user.client.GET('/api/v1/workers', { params }));
      expect(workers.map(({ status }) => status)).toEqual(['disconnected']);
    });
  }
});
