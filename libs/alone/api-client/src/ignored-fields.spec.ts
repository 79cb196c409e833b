import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { createControlPlaneClient } from './client.js';
import type { IgnoredFields } from './ignored-fields.js';
import type { Notice } from './notices.js';

it('a client reports the fields that the API ignored, and its notices', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(201, { 'X-Ignored-Fields': 'model, llm_config.%C3%A9', 'X-Notice': 'No worker' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reports: (IgnoredFields | Notice)[] = [];
  const client = createControlPlaneClient({
    baseUrl,
    apiKey: 'ak',
    onIgnoredFields: (ignored) => reports.push(ignored),
    onNotice: (notice) => reports.push(notice),
  });
  await client.POST('/api/v1/agents', { body: { name: 'a' } });
  server.close();
  const request = { method: 'POST', url: `${baseUrl}/api/v1/agents` };
  expect(reports.find((report) => 'fields' in report)).toEqual({ ...request, fields: ['model', 'llm_config.é'] });
  expect(reports.find((report) => 'notice' in report)).toEqual({ ...request, notice: 'No worker' });
});
