import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Platform } from '../support/platform.js';
import { PlatformApi } from './platform-api.js';

const TOOL = join(__dirname, '..', '..', 'dist/bundles/admin.js');

/** Creates another organization with the admin command, and returns the API with its admin key. */
export function otherOrganization(platform: Platform, name: string): { id: string; api: PlatformApi } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TOOL, 'create-org', '--name', name], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], DATABASE_URL: platform.databaseUrl },
  });
  if (status !== 0) throw new Error(stderr);
  const created = JSON.parse(stdout) as { organization_id: string; api_key: string };
  return { id: created.organization_id, api: new PlatformApi(platform, created.api_key) };
}
