import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { runCommand } from '../../tools/provision/commands.js';
import { findNpmProgram } from '../../tools/provision/npm-programs.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { ERAS, ToolServer } from '../support/tool-server.js';

const suite = findNpmProgram('conformance');
const FIXTURES = 'dist/test/tool-server/conformance/main.js';
/** The scenarios that need no fixture, with the version of the protocol in which they run. */
const WITHOUT_FIXTURES = [
  ['server-initialize', '2025-11-25'],
  ['ping', '2025-11-25'],
  ['tools-list', '2025-11-25'],
  ['tools-list', '2026-07-28'],
  ['dns-rebinding-protection', '2025-11-25'],
  ['dns-rebinding-protection', '2026-07-28'],
  ['caching', '2026-07-28'],
  ['http-header-validation', '2026-07-28'],
  ['server-stateless', '2026-07-28'],
] as const;

/** The suite of the authors of the protocol. The files beside the fixtures list the failures that are expected. */
(suite === undefined ? describe.skip : describe)('the conformance suite of MCP', () => {
  let platform: Platform;
  let results: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    results = mkdtempSync(join(tmpdir(), 'conformance-'));
  });
  afterAll(async () => {
    rmSync(results, { recursive: true, force: true });
    await platform.stop();
  });

  const start = (entry?: string): Promise<ToolServer> =>
    ToolServer.start(platform, { SERVICE_API_KEY: platform.adminKey }, entry);

  /** Runs scenarios. Returns the output of the suite if one of them has an unexpected result. */
  async function failuresOf(server: ToolServer, expected: string, ...selection: readonly string[]): Promise<string> {
    const failures = join(__dirname, 'conformance', `expected-failures.${expected}.yml`);
    const options = ['--url', `${server.url}/mcp`, '--expected-failures', failures, '--output-dir', results];
    const env = { ...process.env, ...suite?.env };
    const { code, output } = await runCommand(suite?.path ?? '', ['server', ...options, ...selection], { env });
    return code === 0 ? '' : output;
  }

  describe('with its fixtures', () => {
    let server: ToolServer;

    beforeAll(async () => (server = await start(FIXTURES)));
    afterAll(() => server.stop());

    it.each(ERAS)('finds what the version %s requires', async (version) => {
      expect(await failuresOf(server, version, '--requirements', version)).toBe('');
    });

    it('makes calls that are recorded as those of the tools of the product', () => {
      const call = { tool: 'test_simple_text', outcome: 'succeeded', key_id: expect.any(String) };
      expect(server.audit()).toContainEqual(expect.objectContaining(call));
    });
  });

  describe('with the tools of the product', () => {
    let server: ToolServer;

    beforeAll(async () => {
      server = await start();
      // The scenarios also read one of the resources.
      const steps = [{ name: 'say', type: 'prompt', prompt: 'Hello' }] as never[];
      await unwrap(new Scenario(platform).client.POST('/api/v1/workflows', { body: { name: 'greet', steps } }));
    });
    afterAll(() => server.stop());

    it.each(WITHOUT_FIXTURES)('passes the scenario %s of %s', async (scenario, version) => {
      expect(await failuresOf(server, 'product', '--scenario', scenario, '--spec-version', version)).toBe('');
    });
  });
});
