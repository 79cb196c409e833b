import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { inheritedVariables } from '@app/config';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario } from '../support/scenario.js';

const PROGRAMS = ['/bin/sh', '/bin/cat', '/bin/sleep', '/usr/bin/id'];
const docker = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync('docker', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`docker ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
};
/** The tests need an engine for Linux containers; `DOCKER_HOST` can select one. */
const hasEngine = spawnSync('docker', ['info'], { encoding: 'utf8' }).status === 0;

(hasEngine ? describe : describe.skip)('runs with the docker skill (skipped without a container engine)', () => {
  const image = `agent-test-${process.pid}`;
  let platform: Platform;
  let user: Scenario;
  let folder: string;
  let agentId: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'docker-'));
    importImage(join(folder, 'image'));
    platform = await Platform.shared();
    user = new Scenario(platform);
    await platform.startWorker({
      WORKER_WORKSPACE: join(folder, 'workspace'),
      WORKER_SKILLS: 'docker,file_system',
      WORKER_TOOL_ENV: 'PATH,DOCKER_HOST',
      ...inheritedVariables(['DOCKER_HOST']),
    });
    const skills = [
      { name: 'docker', type: 'docker', configuration: { images: [image] } },
      { name: 'files', type: 'file_system' },
    ];
    const skill_ids: string[] = [];
    for (const body of skills) skill_ids.push((await unwrap(user.client.POST('/api/v1/skills', { body }))).id);
    agentId = await user.newAgent({ skill_ids, configuration: { tool_timeout_seconds: 20 } });
  });

  afterAll(async () => {
    await platform.stop();
    docker('image', 'rm', '--force', image);
    rmSync(folder, { recursive: true });
  });

  /** Builds an image from programs of this machine and their libraries, so that no registry is needed. */
  function importImage(root: string): void {
    const libraries = PROGRAMS.flatMap((program) =>
      [...spawnSync('/usr/bin/ldd', [program], { encoding: 'utf8' }).stdout.matchAll(/\/\S+(?= \()/g)].map(
        ([path]) => path,
      ),
    );
    for (const path of new Set([...PROGRAMS, ...libraries])) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      cpSync(path, join(root, path), { dereference: true });
    }
    const { stdout } = spawnSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1e9 });
    const imported = spawnSync('docker', ['import', '-', image], { input: stdout, encoding: 'utf8' });
    if (imported.status !== 0) throw new Error(imported.stderr);
  }

  const container = (command: string, name = image): string =>
    `[[tool run_container ${JSON.stringify({ image: name, command })}]]`;

  const containers = (): string[] =>
    docker('ps', '--all', '--filter', `ancestor=${image}`, '--format', '{{.Names}} {{.Status}}')
      .split('\n')
      .filter((line) => line !== '');

  async function outcomesOf(prompt: string): Promise<unknown[]> {
    const events = await user.follow(await user.execute(agentId, prompt)).done;
    return ofType(events, 'tool_completed')
      .map(dataOf)
      .map(({ tool_output, tool_error }) => tool_output ?? tool_error);
  }

  it('run commands in the workspace, without a network and without other folders', async () => {
    const outcomes = await outcomesOf(
      [
        '[[tool write_file {"path":"in","content":"from outside"}]]',
        container('cat in; echo " and back" > out; exit 0'),
        '[[tool read_file {"path":"out"}]]',
        container('id -u'),
        container('cat /proc/net/dev'),
        container(`cat ${folder}/image/bin/sh`),
        container('echo to stderr >&2; exit 7'),
        container('true', 'another-image'),
      ].join(' '),
    );
    expect(outcomes).toEqual([
      'Wrote 12 bytes to in',
      'from outside',
      ' and back\n',
      `${process.getuid?.() ?? 0}\n`,
      expect.not.stringContaining('eth0'),
      expect.stringContaining('No such file or directory'),
      'The command ended with the exit code 7:\nto stderr\n',
      `The image another-image is not allowed; allowed images: ${image}`,
    ]);
    expect(containers()).toEqual([]);
  });

  it('remove a container that prints without end, takes too long or is cancelled', async () => {
    const outcomes = await outcomesOf([container('while :; do cat /bin/sh; done'), container('sleep 600')].join(' '));
    expect(outcomes.map((outcome) => String(outcome).split('\n')[0])).toEqual([
      'The command printed more than 1 MiB and was stopped:',
      'The tool run_container took longer than 20 s',
    ]);
    await eventually(() => expect(containers()).toEqual([]));
    const id = await user.execute(agentId, container('sleep 600'));
    await eventually(() => expect(containers()).toEqual([expect.stringContaining('Up')]));
    await user.cancel(id);
    await eventually(() => expect(containers()).toEqual([]));
    expect((await user.execution(id)).status).toBe('cancelled');
  });
});
