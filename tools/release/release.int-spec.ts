import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  appendFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../provision/project-root.js';
import { findObstacles } from './preconditions.js';
import { describeRelease, makeRelease } from './release.js';
import { runProgram } from './run-program.js';
import { consolePackages, type Sbom } from './sbom.js';
import { findOtherVersions, PUBLISHED, readVersion } from './version-places.js';

const VERSION = '9.8.0';
const DATE = '2026-11-29';
const NOT_COPIED = /^(?:node_modules|dist|\.git|\.data|\.build-[^/]*|(?:apps|libs\/[^/]+)\/[^/]+\/dist|\.env)$/;
const AUTHOR = ['user.name=Ann', 'user.email=ann@example.com', 'commit.gpgSign=false', 'tag.gpgSign=false'];

/** A repository with the files of this tree, without a remote. */
describe('a release', () => {
  const root = mkdtempSync(join(tmpdir(), 'release-'));
  const release = { root, version: VERSION, date: DATE };
  const git = (...args: string[]): string => runProgram(root, 'git', ...args).trim();
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  let start: string;

  beforeAll(() => {
    cpSync(projectRoot, root, { recursive: true, filter: (path) => !NOT_COPIED.test(relative(projectRoot, path)) });
    symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
    git('init', '--quiet', '--initial-branch=main');
    for (const setting of AUTHOR) git('config', ...setting.split('=', 2));
    appendFileSync(join(root, '.git/info/exclude'), '/node_modules\n');
    writeChangelog('## [Unreleased]\n\n### Added\n\n- A door.\n');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Start');
    start = git('rev-parse', 'HEAD');
  });

  beforeEach(() => {
    git('checkout', '--quiet', '--force', '-B', 'main', start);
    git('clean', '--force', '-d', '--quiet');
    if (git('tag') !== '') git('tag', '--delete', ...git('tag').split('\n'));
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  function writeChangelog(section: string): void {
    writeFileSync(join(root, 'CHANGELOG.md'), `# Changelog\n\n${section}`);
  }

  it('has the version everywhere, its notes, a commit, a tag with the notes, and verifiable files', () => {
    expect(findObstacles(root, VERSION)).toEqual([]);
    const files = makeRelease(release);

    expect([readVersion(root), ...findOtherVersions(root)]).toEqual([VERSION]);
    expect(read('CHANGELOG.md')).toBe(
      `# Changelog\n\n## [Unreleased]\n\n## [${VERSION}] - ${DATE}\n\n### Added\n\n- A door.\n`,
    );
    expect(git('log', '--format=%s')).toBe(`Release ${VERSION}\nStart`);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('cat-file', '-t', `v${VERSION}`)).toBe('tag');
    expect(git('rev-parse', `v${VERSION}^{commit}`)).toBe(git('rev-parse', 'HEAD'));
    expect(git('tag', '--list', '--format=%(contents)')).toBe(`Version ${VERSION}\n\n### Added\n\n- A door.`);

    expect(files).toEqual(
      [
        'NOTES.md',
        `agent-orchestration-client-${VERSION}.tgz`,
        `agent-orchestration-platform-${VERSION}.cdx.json`,
        `agent-orchestration-rego-${VERSION}.tgz`,
        `agentctl-${VERSION}.tgz`,
      ].concat('SHA256SUMS'),
    );
    const folder = join(root, 'dist/release');
    expect(runProgram(folder, 'sha256sum', '--check', '--strict', 'SHA256SUMS').match(/: OK$/gm)).toHaveLength(5);
    for (const name of ['agentctl', 'agent-orchestration-rego'])
      expect(runProgram(folder, 'tar', '-xzOf', `${name}-${VERSION}.tgz`, 'package/package.json')).toContain(
        `"version": "${VERSION}"`,
      );
    expect(findObstacles(root, VERSION)).toEqual([
      `The tag v${VERSION} exists.`,
      'The section "## [Unreleased]" of CHANGELOG.md is empty.',
    ]);
    expectSbomOfShipped();
  });

  /** The SBOM has what is shipped, also in the console, and nothing that only builds and tests need. */
  function expectSbomOfShipped(): void {
    const sbom = JSON.parse(read(`dist/release/agent-orchestration-platform-${VERSION}.cdx.json`)) as Sbom;
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { component: { name: 'agent-orchestration-platform', version: VERSION, type: 'application' } },
    });
    const names = sbom.components.map(({ name }) => name);
    const { dependencies } = JSON.parse(read('package.json')) as { readonly dependencies: Record<string, string> };
    expect(names).toEqual(expect.arrayContaining([...Object.keys(dependencies), ...consolePackages(root)]));
    expect(names).toEqual(expect.arrayContaining(['react', 'scheduler', 'tailwindcss']));
    expect(names.filter((name) => /^(jest|oxlint|vite|esbuild|playwright-core)$/.test(name))).toEqual([]);
    const refs = new Set([sbom.metadata.component, ...sbom.components].map((each) => each['bom-ref']));
    const dangling = sbom.dependencies
      .flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
      .filter((ref) => !refs.has(ref));
    expect(dangling).toEqual([]);
  }

  it('is not made from a tree that is not ready', () => {
    git('tag', 'v9.7.0');
    git('checkout', '--quiet', '-b', 'topic');
    writeFileSync(join(root, 'new.txt'), '');
    writeChangelog('## [Unreleased]\n\n### Added\n');
    writeFileSync(
      join(root, 'apps/cli/package.json'),
      read('apps/cli/package.json').replace(/"version": ".*"/, '"version": "5.0.0"'),
    );
    expect(findObstacles(root, '0.0.1')).toEqual([
      `0.0.1 is not newer than ${readVersion(root)}.`,
      'The branch is topic, not main.',
      'Files are not committed:\n M CHANGELOG.md\n M apps/cli/package.json\n?? new.txt',
      `apps/cli/package.json has 5.0.0, not ${readVersion(root)}.`,
      'The section "## [Unreleased]" of CHANGELOG.md is empty.',
    ]);
    expect(findObstacles(root, '9.7.0')).toContain('The tag v9.7.0 exists.');
    expect(findObstacles(root, 'v9.8.0')).toContain('v9.8.0 is not of the form 1.2.3 or 1.2.3-rc.1.');
  });

  it('can have the version of the tree if that was never released', () => {
    expect(findObstacles(root, readVersion(root))).toEqual([]);
  });

  it('leaves the tree as it was if a step fails', () => {
    const manifest = 'libs/alone/api-client/package.json';
    writeFileSync(join(root, manifest), read(manifest).replace(/"prepack": ".*"/, '"prepack": "no-such-program"'));
    git('commit', '--quiet', '--all', '--message', 'Break');
    expect(() => makeRelease(release)).toThrow(/^npm pack .* failed:[^]*no-such-program/);
    expect(git('log', '-1', '--format=%s')).toBe('Break');
    expect([git('status', '--porcelain'), git('tag')]).toEqual(['', '']);
  });

  it('is described without a change', () => {
    const lines = describeRelease(release);
    expect(lines).toEqual(expect.arrayContaining(['  - A door.', `Commit "Release ${VERSION}"`]));
    for (const folder of PUBLISHED) expect(lines.join('\n')).toContain(folder);
    expect([git('status', '--porcelain'), git('tag')]).toEqual(['', '']);
    expect(existsSync(join(root, 'CHANGELOG.md'))).toBe(true);
  });
});
