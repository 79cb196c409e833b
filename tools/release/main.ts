// `npm run release -- VERSION` makes a release in this clone; `npm run release -- pack TAG` packs the one that is checked
// out. Neither pushes or publishes anything.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../provision/project-root.js';
import { packRelease, RELEASE_FOLDER } from './pack.js';
import { findObstacles } from './preconditions.js';
import { describeRelease, makeRelease } from './release.js';
import { runProgram } from './run-program.js';
import { readVersion } from './version-places.js';

const USAGE = `Usage:
  npm run release -- VERSION --check     runs .ci/run (an hour), then makes the release: version, changelog, tarballs,
                                         SBOM, commit and tag
  npm run release -- VERSION --checked   makes the release; .ci/run has passed on this commit
  npm run release -- VERSION --dry-run   changes nothing; prints what forbids the release and what it would do
  npm run release -- pack TAG            packs the tree that has this tag, for example v1.2.3
VERSION is 1.2.3, or 1.2.3-rc.1 for a release candidate.`;

const OPTIONS = {
  check: { type: 'boolean', default: false },
  checked: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const;

process.exitCode = main(process.argv.slice(2));

function main(argv: readonly string[]): number {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
    const [first = '', second = ''] = positionals;
    const modes = Object.values(values).filter(Boolean).length;
    if (first === 'pack' && positionals.length === 2 && modes === 0) return pack(second);
    if (first !== 'pack' && positionals.length === 1 && modes === 1) return release(first, values);
  } catch (error) {
    console.error((error as Error).message);
    if (!isUsageError(error)) return 1;
  }
  console.error(USAGE);
  return 64;
}

function pack(tag: string): number {
  const expected = `v${readVersion(projectRoot)}`;
  if (tag !== expected) throw new Error(`The tag is ${tag}, but the version of the tree is that of ${expected}`);
  return report(packRelease(projectRoot));
}

function release(version: string, mode: { readonly check: boolean; readonly 'dry-run': boolean }): number {
  const target = { root: projectRoot, version, date: new Date().toISOString().slice(0, 10) };
  const obstacles = findObstacles(projectRoot, version);
  for (const obstacle of obstacles) console.error(obstacle);
  if (mode['dry-run'] && !obstacles.some((each) => each.includes('CHANGELOG.md'))) {
    console.log(describeRelease(target).join('\n'));
  }
  if (mode['dry-run'] || obstacles.length > 0) return obstacles.length > 0 ? 1 : 0;
  if (mode.check) runChecks(version);
  const code = report(makeRelease(target));
  console.log(`Publish it with:\n  git push origin main v${version}`);
  return code;
}

/** Runs .ci/run. Throws if it fails, or if the tree has changed while it ran. */
function runChecks(version: string): void {
  const commit = (): string => runProgram(projectRoot, 'git', 'rev-parse', 'HEAD');
  const checked = commit();
  const { status } = spawnSync(join(projectRoot, '.ci/run'), { stdio: 'inherit' });
  if (status !== 0) throw new Error('.ci/run has failed; nothing was changed');
  const obstacles = findObstacles(projectRoot, version);
  if (commit() !== checked || obstacles.length > 0)
    throw new Error(['The tree has changed while .ci/run ran; nothing was released', ...obstacles].join('\n'));
}

function report(files: readonly string[]): number {
  for (const file of files) console.log(`${RELEASE_FOLDER}/${file}`);
  return 0;
}

function isUsageError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
