import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createModelGateway } from './server.js';

interface Chunk {
  choices: {
    delta: { content?: string; tool_calls?: { function: { arguments: string } }[] };
    finish_reason: string | null;
  }[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the model gateway over HTTP', () => {
  const gateway = createModelGateway({ apiKey: null });
  const protectedGateway = createModelGateway({ apiKey: 'the-key' });
  let url: string;
  let protectedUrl: string;

  beforeAll(async () => {
    url = await listen(gateway);
    protectedUrl = await listen(protectedGateway);
  });
  afterAll(() => {
    gateway.closeAllConnections();
    gateway.close();
    protectedGateway.close();
  });

  const complete = (prompt: string, more: object = {}) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'development-model', messages: [{ role: 'user', content: prompt }], ...more }),
    });

  async function chunks(prompt: string, more: object = {}): Promise<{ lines: string[]; parsed: Chunk[] }> {
    const text = await (await complete(prompt, { stream: true, ...more })).text();
    const lines = text.split('\n\n').filter((line) => line !== '');
    const parsed = lines.slice(0, -1).map((line) => JSON.parse(line.replace('data: ', '')) as Chunk);
    return { lines, parsed };
  }

  it('lists its models as development models', async () => {
    const { data } = (await (await fetch(`${url}/v1/models`)).json()) as {
      data: { id: string; owned_by: string; metadata: object }[];
    };
    expect(data[0]).toMatchObject({
      id: 'development-model',
      owned_by: 'development-model-gateway',
      metadata: { development: true },
    });
  });

  it('returns the same completion for equal requests', async () => {
    const [one, two] = await Promise.all([complete('hello'), complete('hello')]);
    const answers = (await Promise.all([one.json(), two.json()])) as Record<string, unknown>[];
    expect(answers[0]).toEqual({ ...answers[1], created: answers[0]?.['created'] });
    expect(answers[0]).toMatchObject({
      object: 'chat.completion',
      system_fingerprint: 'development-model-gateway',
      choices: [
        {
          message: { role: 'assistant', content: '[development model] You said (1 word): hello' },
          finish_reason: 'stop',
        },
      ],
    });
  });

  it('streams the whole reply, then the finish, the usage and [DONE]', async () => {
    const { lines, parsed } = await chunks('hello', { stream_options: { include_usage: true } });
    expect(lines.at(-1)).toBe('data: [DONE]');
    const text = parsed.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
    expect(text).toBe('[development model] You said (1 word): hello');
    expect(parsed.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    const usage = parsed.at(-1)?.usage;
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    expect(parsed.at(-1)?.choices).toEqual([]);
  });

  it('streams the arguments of a tool call in parts', async () => {
    const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    const { parsed } = await chunks('use shout with text="a longer sentence than one part"', {
      tools: [{ type: 'function', function: { name: 'shout', parameters } }],
    });
    const json = parsed
      .flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
      .map((call) => call.function.arguments);
    expect(JSON.parse(json.join(''))).toEqual({ text: 'a longer sentence than one part' });
    expect(parsed.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it('fails with the status and Retry-After that the prompt requests', async () => {
    const response = await complete('[[error 429 7s]]');
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await response.json()).toMatchObject({ error: { code: 'asked_for', type: 'requests' } });
  });

  it('closes the connection after the requested number of tokens', async () => {
    const response = await complete('[[tokens 20]] [[break 3]]', { stream: true });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it('ends the response after the requested number of tokens, without a finish reason', async () => {
    const body = await (await complete('[[tokens 20]] [[cut 3]]', { stream: true })).text();
    // One delta with the role, three with a token.
    expect(body.match(/^data: /gm)).toHaveLength(4);
    expect(body).not.toMatch(/"finish_reason":"|DONE/);
  });

  it('sends arguments that are not JSON on request', async () => {
    const tools = [{ type: 'function', function: { name: 'add', parameters: {} } }];
    const response = await complete('[[garble]] [[tool add {"a":1}]]', { tools });
    expect(await response.json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: 'add', arguments: '{"a":1' } }] } }],
    });
  });

  it.each([
    ['GET', '/v1/chat/completions', 405],
    ['POST', '/v1/models', 405],
    ['GET', '/v1/other', 404],
    ['GET', '/v1/models/none', 404],
  ])('responds to %s %s with %i and an error body', async (method, path, status) => {
    const response = await fetch(url + path, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('error.message');
  });

  it('rejects a body that is not JSON or too large', async () => {
    const malformed = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{' });
    expect(malformed.status).toBe(400);
    const large = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: 'x'.repeat(11 * 1024 * 1024),
    }).then(
      (response) => response.status,
      () => 413,
    );
    expect(large).toBe(413);
  });

  it('requires the key if one is configured', async () => {
    const authorization = (key: string) =>
      fetch(`${protectedUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect((await fetch(`${protectedUrl}/v1/models`)).status).toBe(401);
    expect((await authorization('wrong')).status).toBe(401);
    expect((await authorization('the-key')).status).toBe(200);
  });
});
