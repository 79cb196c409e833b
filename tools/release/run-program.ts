import { spawnSync } from 'node:child_process';

/** The output of a program may be an SBOM of several megabytes. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Runs a program in a folder and returns its standard output. Throws an error with its standard error if it fails. */
export function runProgram(folder: string, program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} failed:\n${stderr}${stdout}`);
  return stdout;
}
