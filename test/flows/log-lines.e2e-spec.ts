import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const SPAN_ID = /^[0-9a-f]{16}$/;

interface LogLine {
  readonly pid: number;
  readonly msg: string;
  readonly execution_id?: string;
  readonly trace_id?: string;
  readonly span_id?: string;
}

describe('the log lines of a run', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.start();
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  async function json(method: 'POST', path: string, body: object = {}): Promise<Record<string, unknown>> {
    const { status, body: answer } = await call(method, `${platform.url}/api/v1${path}`, {
      key: platform.adminKey,
      body,
    });
    if (status >= 300) throw new Error(`${path} was answered with ${status}`);
    return answer as Record<string, unknown>;
  }

  /** Returns the lines of all processes that name the execution. */
  function linesOf(executionId: string): LogLine[] {
    return [...platform.controlPlanes, ...platform.workers]
      .flatMap(({ process }) => process.log().split('\n'))
      .filter((line) => line.includes(executionId) && line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine)
      .filter(({ execution_id }) => execution_id === executionId);
  }

  it('name its trace and a span in all processes, and whoever caused them', async () => {
    const id = await user.execute(await user.newAgent({ name: 'logged' }), 'hello');
    const workerId = String((await json('POST', '/workers/register'))['worker_id']);
    await eventually(async () => {
      expect(await json('POST', `/workers/${workerId}/poll`, { max: 1, wait_seconds: 1 })).toHaveLength(1);
    });
    // The platform, not the run, causes the second attempt.
    await json('POST', `/workers/${workerId}/disconnect`, { reason: 'crash', exit_code: 1 });
    await platform.startWorker();
    await user.waitUntilEnded(id);
    const { trace_id } = await user.execution(id);
    await eventually(() => {
      const messages = linesOf(id).map(({ msg }) => msg);
      expect(messages.filter((message) => message === 'execution leased')).toHaveLength(2);
      expect(messages.filter((message) => message === 'execution relayed to its worker queue')).toHaveLength(2);
      expect(messages.filter((message) => message === 'execution status changed')).toHaveLength(2);
      expect(messages).toContain('request completed');
      expect(linesOf(id).find(({ pid }) => pid === platform.workers[0]?.process.pid)).toBeDefined();
    });
    const wrong = linesOf(id).filter((line) => line.trace_id !== trace_id || !SPAN_ID.test(line.span_id ?? ''));
    expect(wrong).toEqual([]);
  });
});
