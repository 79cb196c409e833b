import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '@app/kernel';
import { Agentctl } from '../support/agentctl.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { ToolServer } from '../support/tool-server.js';

describe('the version of the product', () => {
  let platform: Platform;
  const cli = new Agentctl();

  beforeAll(async () => {
    platform = await Platform.shared();
    await cli.install();
    await cli.signIn(platform);
  });

  afterAll(async () => {
    await platform.stop();
    cli.remove();
  });

  it('is that of the packed agentctl, which shows that of the servers', async () => {
    expect(await cli.run(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
    const { stdout } = await cli.run(['health', '-o', 'json']);
    const rows = JSON.parse(stdout) as { readonly part: string; readonly version?: string }[];
    expect(rows.filter(({ version }) => version !== undefined)).toMatchObject([
      { part: 'control plane', version: VERSION },
      { part: 'platform API', version: VERSION },
    ]);
    expect((await cli.run(['health'])).stdout).toMatch(/^PART +STATUS +VERSION/i);
  });

  it('is in the health checks and documents of both APIs', async () => {
    for (const url of [platform.url, platform.platformApi?.url ?? '']) {
      expect(await call('GET', `${url}/api/health/live`)).toMatchObject({ body: { version: VERSION } });
      expect(await call('GET', `${url}/api/openapi.json`)).toMatchObject({ body: { info: { version: VERSION } } });
    }
  });

  it('is in the health check of the tool server, and what it tells MCP clients', async () => {
    const server = await ToolServer.start(platform);
    try {
      for (const path of ['live', 'ready'])
        expect(await call('GET', `${server.url}/api/health/${path}`)).toMatchObject({ body: { version: VERSION } });
      expect((await server.connect('2026-07-28')).getServerVersion()).toMatchObject({ version: VERSION });
    } finally {
      await server.stop();
    }
  });
});
