import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { createControlPlaneClient } from './client.js';

const BODY = '[{"id": 9007199254740993}]';
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

it.each<[string, RequestListener, object]>([
  [
    'of known length',
    (_, response) => response.writeHead(200, { ...JSON_TYPE, 'content-length': BODY.length }).end(BODY),
    { data: BODY },
  ],
  [
    'of unknown length',
    (_, response) => {
      response.writeHead(200, JSON_TYPE).write(BODY.slice(0, 5));
      response.end(BODY.slice(5));
    },
    { data: BODY },
  ],
  ['without a body', (_, response) => response.writeHead(204).end(), { data: undefined }],
  [
    'with an error',
    (_, response) => response.writeHead(404, JSON_TYPE).end('{"detail": "no"}'),
    { error: { detail: 'no' } },
  ],
])('a client parses a response %s with its own parser', async (_case, respond, expected) => {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createControlPlaneClient({ baseUrl, apiKey: 'ak', retries: null, parseJson: (text) => text });
  const { response: _response, ...answer } = await client.GET('/api/v1/agents');
  expect(answer).toEqual(expected);
  server.close();
});
