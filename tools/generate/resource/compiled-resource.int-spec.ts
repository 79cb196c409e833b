import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../../provision/project-root.js';
import { planResource } from './plan-resource.js';
import { resourceNames } from './resource-names.js';

const NOT_COPIED = /^(node_modules|dist|docs|docker|\.data|\.git|\.build-.*)(\/|$)/;
const COMPILER = 'node_modules/@typescript/native/bin/tsc';

/**
 * Compiles the new files of a resource with all that they import, which takes a fourth of the time of the whole project.
 * `.ci/generated-resource.sh` compiles the files that the generator changes as well, and runs the tests of a resource.
 */
describe('a generated resource', () => {
  let copy: string;

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'generated-resource-'));
    const filter = (path: string): boolean => !NOT_COPIED.test(relative(projectRoot, path));
    cpSync(projectRoot, copy, { recursive: true, filter });
    symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'));
  });

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it('compiles with what it imports', () => {
    const plan = planResource(copy, resourceNames({ name: 'stock entry', scope: 'agents' }));
    for (const { path, text } of plan) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    const created = plan.map(({ path }) => path).filter((path) => !existsSync(join(projectRoot, path)));
    const files = created.filter((path) => path.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(8);
    const config = { extends: './tsconfig.json', files, include: [] };
    writeFileSync(join(copy, 'tsconfig.resource.json'), JSON.stringify(config));
    const args = [join(copy, COMPILER), '-p', 'tsconfig.resource.json', '--noEmit'];
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });
});
