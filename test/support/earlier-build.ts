import { spawnSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
/** Wherever the lib was. */
const MIGRATIONS = ':(glob)libs/**/database/src/migrations/index.ts';

/** A version of the platform before this one. */
export interface EarlierVersion {
  /** A tag, or the id of a commit. */
  readonly name: string;
  readonly commit: string;
}

/**
 * Returns the last release; while there is none, the version before the last two changes of the schema. Undefined in a
 * clone without the history.
 */
export function earlierVersion(): EarlierVersion | undefined {
  const tag = git('describe', '--tags', '--match', 'v*', '--abbrev=0', 'HEAD^');
  // A move of the file is no change of the schema. Not `--skip`: it also counts what the filter leaves out.
  const changes = git('log', '-2', '--find-renames', '--diff-filter=AM', '--format=%H^', '--', MIGRATIONS);
  const name = tag ?? changes?.split('\n')[1];
  const commit = name === undefined || name === '' ? undefined : git('rev-parse', '--verify', '--quiet', name);
  return commit === undefined ? undefined : { name: tag ?? commit.slice(0, 8), commit };
}

/** Builds the version with the packages of this one, in a new folder that the caller deletes. Returns the folder. */
export function buildOf({ commit }: EarlierVersion): string {
  const folder = mkdtempSync(join(tmpdir(), 'earlier-'));
  const archive = join(folder, 'source.tar');
  run('git', ['archive', `--output=${archive}`, commit], ROOT);
  run('tar', ['-xf', archive], folder);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  run(process.execPath, ['tools/build.mjs'], folder);
  return folder;
}

/** Returns undefined if the command fails. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stdout}${stderr}`);
}
