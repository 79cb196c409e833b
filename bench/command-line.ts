import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../tools/provision/project-root.js';
import { inTurn, toFigure, type Figure } from './figures.js';
import type { BenchPlatform } from './platform.js';

const run = promisify(execFile);
const PROGRAM = join(projectRoot, 'apps/cli/dist/agentctl.cjs');
const COMMANDS = ['--version', '--help', 'health', 'jobs list'];

/** Time from the start to the end of agentctl, for commands that send no request and for commands that do. */
export async function commandLine({ url, key }: BenchPlatform, runs: number): Promise<Figure[]> {
  await run(process.execPath, [join(projectRoot, 'apps/cli/bundle.mjs')]);
  const env = { PATH: process.env['PATH'], AGENTCTL_URL: url, AGENTCTL_API_KEY: key };
  const timed = (args: readonly string[]) => async (): Promise<number> => {
    const started = performance.now();
    await run(process.execPath, args, { env });
    return performance.now() - started;
  };
  const sides = [timed(['-e', '0']), ...COMMANDS.map((command) => timed([PROGRAM, ...command.split(' ')]))];
  // The first runs read the files from the disk.
  await inTurn(sides, 1);
  const [baseline = [], ...ours] = await inTurn(sides, runs);
  return COMMANDS.map((command, index) =>
    toFigure(
      { name: `agentctl ${command}`, unit: 'ms', baselineIs: 'node -e 0' },
      { ours: ours[index] ?? [], baseline, against: [] },
    ),
  );
}
