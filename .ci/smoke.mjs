// `node .ci/smoke.mjs <log>`: checks the platform whose addresses and admin key `npm start` printed to the log.
// Checks that the servers are ready, serve their OpenAPI documents and accept the key.
import { readFileSync } from 'node:fs';

const log = readFileSync(process.argv[2], 'utf8');
function readBanner(name, pattern) {
  const value = new RegExp(`^ +${name} +(${pattern})`, 'm').exec(log)?.[1];
  return value ?? fail(`"${name}" is missing in the log`);
}

const controlPlane = readBanner('control plane', 'http://\\S+');
const platformApi = readBanner('platform API', 'http://\\S+');
const toolServer = readBanner('tool server', 'http://\\S+');
const adminKey = readBanner('admin key', 'ak_\\w+');

await expectStatus(`${controlPlane}/api/health/ready`, 200);
await expectStatus(`${platformApi}/api/health/ready`, 200);
await expectStatus(`${controlPlane}/api/openapi.json`, 200);
await expectStatus(`${platformApi}/api/openapi.json`, 200);
await expectStatus(`${controlPlane}/api/v1/agents`, 401);
await expectStatus(`${controlPlane}/api/v1/agents`, 200, { headers: { authorization: `Bearer ${adminKey}` } });
await expectStatus(`${platformApi}/api/v1/auth/me`, 200, { headers: { authorization: `UserKey ${adminKey}` } });
await expectStatus(toolServer, 200, {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_workflows', arguments: { api_key: adminKey } },
  }),
});

async function expectStatus(url, status, init = {}) {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) });
  if (response.status !== status)
    fail(`${url}: expected status ${status}, received ${response.status}: ${await response.text()}`);
}

/** @returns {never} */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
