import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { readLease } from '../control-plane/lease.js';
import { NestedConversation } from '../conversation/conversation.js';
import { Redactor } from '../redaction/secrets.js';
import { NO_RETRIES, taskWorkbench } from '../testing/workbench.js';
import { wireLease } from '../testing/wire-lease.js';
import { DefaultRuntime } from '../runtimes/default/default.runtime.js';

const FOREIGN = 'a-body-of-the-gateway';

describe('a failed request to the model gateway', () => {
  let gateway: Server | undefined;

  afterEach(() => {
    gateway?.closeAllConnections();
    gateway?.close();
  });

  async function failureOf(status: number, type: string, body: string): Promise<string> {
    gateway = createServer((_request, response) => response.writeHead(status, { 'content-type': type }).end(body));
    const { port } = await new Promise<AddressInfo>((resolve) => {
      const started = gateway?.listen(0, '127.0.0.1', () => resolve(started?.address() as AddressInfo));
    });
    const lease = readLease(wireLease(), Date.now());
    if (lease === null) throw new Error('invalid lease');
    const run = new DefaultRuntime(new SystemClock()).run({
      lease,
      gateway: { url: `http://127.0.0.1:${port}/v1`, apiKey: null, ...NO_RETRIES },
      ...taskWorkbench(),
      redactor: new Redactor([]),
      logger: createLogger('test'),
      signal: new AbortController().signal,
      publish: () => undefined,
      waitWhilePaused: () => Promise.resolve(),
      conversation: new NestedConversation(),
      mayAsk: false,
      reportSteps: () => Promise.resolve(),
      runtimes: {
        for: () => {
          throw new Error('unused');
        },
      },
    });
    return run.then(
      () => 'none',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  }

  it.each([
    ['an error page', 404, 'text/html', `<html>${FOREIGN}</html>`, /^The model gateway responded with 404: Not Found$/],
    [
      'an error of another shape',
      400,
      'application/json',
      `{"reason":"${FOREIGN}"}`,
      /^The model gateway responded with 400: Bad Request$/,
    ],
    ['a page', 200, 'text/html', `<html>${FOREIGN}</html>`, /^The /],
    [
      'an event that is not JSON',
      200,
      'text/event-stream',
      `data: ${FOREIGN}\n\n`,
      /^The response of the model gateway is not a chat completion$/,
    ],
    [
      'an event of another shape',
      200,
      'text/event-stream',
      `data: {"choices":"${FOREIGN}"}\n\n`,
      /^The response of the model gateway is not a chat completion$/,
    ],
  ])('does not repeat %s', async (_case, status, type, body, message) => {
    const failure = await failureOf(status, type, body);
    expect(failure).toMatch(message);
    expect(failure).not.toContain(FOREIGN);
  });

  it('aborts an endless response', async () => {
    const endless = `: ${'x'.repeat(1_048_576)}\n`.repeat(65);
    expect(await failureOf(200, 'text/event-stream', endless)).toBe(
      'The model gateway answered without end: the response has more than 64 MiB',
    );
  });

  it('repeats at most 500 characters of the message of its errors, also within a stream', async () => {
    const error = JSON.stringify({ error: { message: `Too long: ${'x'.repeat(600)}` } });
    const cut = `Too long: ${'x'.repeat(490)}…`;
    expect(await failureOf(400, 'application/json', error)).toBe(`The model gateway responded with 400: ${cut}`);
    expect(await failureOf(200, 'text/event-stream', `data: ${error}\n\n`)).toBe(`The model gateway reported: ${cut}`);
  });
});
