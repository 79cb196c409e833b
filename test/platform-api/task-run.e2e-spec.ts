import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streamEvents, type StreamedEvent } from '@app/api-client';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { PlatformApi } from './platform-api.js';

let platform: Platform;
let admin: PlatformApi;

beforeAll(async () => {
  platform = await Platform.shared();
  admin = new PlatformApi(platform);
  await platform.startWorker();
});

afterAll(() => platform.stop());

describe('a task from its start to its result', () => {
  it('is run by a worker, streamed, and returned with its result', async () => {
    const body = { name: 'Greeter' };
    const agent = await call('POST', `${platform.url}/api/v1/agents`, { key: platform.adminKey, body });
    const task = await admin.expect(201, 'POST', '/api/v1/tasks', {
      name: 'Say hello',
      agent_id: (agent.body as { id: string }).id,
      parameters: { to: 'Ada' },
    });
    const options = { baseUrl: admin.url, authorization: `UserKey ${admin.key}` };
    const events: StreamedEvent[] = [];
    for await (const event of streamEvents(String(task['execution_id']), options)) events.push(event);

    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['run_started', 'message_chunk']));
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
    expect(await admin.expect(200, 'GET', `/api/v1/tasks/${String(task['id'])}`)).toEqual({
      ...task,
      status: 'completed',
      result: expect.stringContaining('Ada'),
      error: null,
    });
  });
});
