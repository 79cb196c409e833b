import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { APPLICABLE } from '../../apps/cli/src/resources.js';
import { Agentctl } from '../support/agentctl.js';
import { Platform } from '../support/platform.js';

/** One resource of each kind, with values in other forms than the platform returns them. */
const EVERY_KIND = `
kind: environment
name: staging
tags: [b, a]
settings: { a: 1 }
execution_environment: { env_vars: { A: b } }
---
kind: worker-queue
name: slow
environment_id: !ref environment/staging
max_workers: 2
---
kind: model
value: some-model
label: Some model
provider: somebody
---
kind: skill
name: search
type: custom
configuration: { instructions: Search first. }
---
kind: knowledge
name: handbook
content: |
  Be kind.
tags: [team]
---
kind: secret
name: TOKEN
value: of-the-test
---
kind: integration
name: tracker
type: custom
configuration: { url: "https://tracker.example" }
---
kind: agent
name: librarian
description: ""
environment_ids: [!ref environment/staging]
skill_ids: [!ref skill/search]
llm_config: { temperature: 0.5 }
execution_environment: { env_vars: { A: b } }
---
kind: team
name: readers
configuration: { instructions: Read. }
---
kind: project
name: website
key: WEB
goals: Be read.
---
kind: workflow
name: release
steps:
  - { name: first, type: prompt, prompt: "{{params.version}}" }
  - { name: second, type: agent, agent_id: !ref agent/librarian, prompt: "{{steps.first.output}}" }
---
kind: job
name: nightly
trigger_type: cron
cron_schedule: 0 9 * * MON-FRI
cron_timezone: Europe/Berlin
entity_type: agent
entity_id: !ref agent/librarian
prompt_template: Read.
config: { timeout_seconds: 60 }
---
kind: policy
name: guard
policy_content: |
  package guard

  allow if true
---
kind: policy-association
policy_id: !ref policy/guard
entity_type: agent
entity_id: !ref agent/librarian
---
kind: webhook
url: http://127.0.0.1:9/hook
events: [done, status]
---
kind: runner
name: build-host
---
kind: user
name: Grace
email: Grace@example.com
groups: [readers]
`;

describe('apply, by the packed agentctl', () => {
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

  it('finds nothing to change in an unchanged file, for every kind', async () => {
    const kinds = [...EVERY_KIND.matchAll(/^kind: (.+)$/gm)].map(([, kind]) => kind);
    expect(new Set(kinds)).toEqual(new Set(APPLICABLE.map(({ kind }) => kind)));
    const file = cli.write('every-kind.yaml', EVERY_KIND);
    expect(await cli.run(['apply', '-f', file, '--yes'])).toMatchObject({ code: 0, stderr: '' });
    for (const option of ['--dry-run', '--yes']) {
      const again = await cli.run(['apply', '-f', file, option]);
      expect(again.stdout.match(/^[~+] .*/gm)).toBeNull();
      expect(again).toMatchObject({ code: 0, stderr: 'Nothing to change.\n' });
    }
  });

  it('reports a misspelt field with the one that is meant, before anything is written', async () => {
    const manifest = 'kind: agent\nname: first\n---\nkind: agent\nname: misspelt\nsystem_promt: Be brief.\n';
    const file = cli.write('misspelt.yaml', manifest);
    const refusal = {
      code: 65,
      stdout: '',
      stderr: expect.stringContaining('agent/misspelt: unknown field system_promt (did you mean system_prompt?).'),
    };
    expect(await cli.run(['apply', '-f', file, '--yes'])).toEqual(refusal);
    expect(await cli.run(['apply', '-f', file, '--dry-run'])).toEqual(refusal);
    expect(await cli.run(['agents', 'get', 'first'])).toMatchObject({ code: 1 });
    const created = await cli.run(['agents', 'create', '-s', 'name=first', '-s', 'systemprompt=x']);
    expect(created).toMatchObject({ code: 65, stderr: expect.stringContaining('(did you mean system_prompt?)') });
    await cli.run(['agents', 'create', '-s', 'name=first']);
    const edited = await cli.run(['agents', 'edit', 'first', '-s', 'descripton=x']);
    expect(edited).toMatchObject({ code: 65, stderr: expect.stringContaining('(did you mean description?)') });
  });

  it('reads the files of a folder, and names the form in which a file is given', async () => {
    mkdirSync(join(cli.folder, 'manifests'));
    cli.write('manifests/1-agent.yaml', 'kind: agent\nname: of a folder\n');
    cli.write('manifests/2-team.yml', 'kind: team\nname: of a folder\n');
    cli.write('manifests/README.md', '# Not a manifest\n');
    expect(await cli.run(['apply', '-f', 'manifests', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/agent\/of a folder created\nteam\/of a folder created\n$/),
    });
    expect(await cli.run(['apply', 'nofile.yaml'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('agentctl apply -f nofile.yaml'),
    });
    expect(await cli.run(['apply', '-f', 'nofile.yaml'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('Cannot read nofile.yaml: ENOENT'),
    });
  });

  it('creates no key whose scopes nobody has chosen', async () => {
    expect(await cli.run(['keys', 'create', 'unscoped'])).toEqual({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('Without a terminal, --scopes is required.'),
    });
    const created = await cli.run(['keys', 'create', 'reader', '--scopes', 'agents:read,tasks:read']);
    expect(created.stderr).toMatch(/^key_\S+ "reader" with the scopes agents:read, tasks:read; the key/);
  });

  it('starts nothing if a template uses a parameter that is not given', async () => {
    const steps = 'steps=[{name: a, type: prompt, prompt: "{{params.version}}"}]';
    await cli.run(['workflows', 'create', '-s', 'name=versioned', '-s', steps]);
    const job = 'kind: job\nname: greet\ntrigger_type: manual\nplanning_mode: on_the_fly\n';
    await cli.run(['jobs', 'create', '-f', cli.write('job.yaml', `${job}prompt_template: '{{a}} {{b}}'\n`)]);
    for (const [command, missing] of [
      [['jobs', 'trigger', 'greet', '-p', 'a=x'], 'not given: b. Nothing was started.'],
      [['run', 'workflow', 'versioned'], 'not given: version. Nothing was started.'],
    ] as const) {
      const refused = await cli.run(command);
      expect([command, refused]).toEqual([command, { code: 64, stdout: '', stderr: expect.stringContaining(missing) }]);
    }
    expect((await cli.run(['executions', 'list', '-o', 'json'])).stdout).toBe('[]\n');
    const forced = await cli.run(['jobs', 'trigger', 'greet', '-p', 'a=x', '--allow-missing']);
    expect(forced).toMatchObject({ code: expect.any(Number), stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
    expect(forced.stderr).toContain('These placeholders have no parameter and remain in the prompt: b');
  });
});
