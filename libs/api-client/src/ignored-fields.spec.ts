import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { createControlPlaneClient } from './client.js';
import type { IgnoredFields } from './ignored-fields.js';

it('a client reports the fields that the API ignored', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(201, { 'X-Ignored-Fields': 'model, llm_config.%C3%A9' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reports: IgnoredFields[] = [];
  const client = createControlPlaneClient({
    baseUrl,
    apiKey: 'ak',
    onIgnoredFields: (ignored) => reports.push(ignored),
  });
  await client.POST('/api/v1/agents', { body: { name: 'a' } });
  server.close();
  expect(reports).toEqual([{ method: 'POST', url: `${baseUrl}/api/v1/agents`, fields: ['model', 'llm_config.é'] }]);
});
