// Asks the platform that `npm start` announced in the given log: both servers ready, documents there, key accepted.
import { readFileSync } from 'node:fs';

const log = readFileSync(process.argv[2], 'utf8');
function said(name, pattern) {
  const value = new RegExp(`^ +${name} +(${pattern})`, 'm').exec(log)?.[1];
  return value ?? fail(`"${name}" was not announced`);
}

const controlPlane = said('control plane', 'http://\\S+');
const platformApi = said('platform API', 'http://\\S+');
const adminKey = said('admin key', 'ak_\\w+');

await expectStatus(`${controlPlane}/api/health/ready`, 200);
await expectStatus(`${platformApi}/api/health/ready`, 200);
await expectStatus(`${controlPlane}/api/openapi.json`, 200);
await expectStatus(`${platformApi}/api/openapi.json`, 200);
await expectStatus(`${controlPlane}/api/v1/agents`, 401);
await expectStatus(`${controlPlane}/api/v1/agents`, 200, { authorization: `Bearer ${adminKey}` });
await expectStatus(`${platformApi}/api/v1/auth/me`, 200, { authorization: `UserKey ${adminKey}` });

async function expectStatus(url, status, headers = {}) {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
  if (response.status !== status)
    fail(`${url} answered ${response.status} instead of ${status}: ${await response.text()}`);
}

/** @returns {never} */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
