import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../../provision/project-root.js';
import { planResource } from './plan-resource.js';
import { resourceNames } from './resource-names.js';

const NOT_COPIED = /^(node_modules|dist|docs|docker|\.data|\.git|\.build-.*)(\/|$)/;
const COMPILER = 'node_modules/@typescript/native/bin/tsc';

/** `.ci/generated-resource.sh` runs this file and the slower checks and tests of a generated resource. */
describe('a generated resource', () => {
  let copy: string;

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'generated-resource-'));
    const filter = (path: string): boolean => !NOT_COPIED.test(relative(projectRoot, path));
    cpSync(projectRoot, copy, { recursive: true, filter });
    symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'));
  });

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it('compiles with the rest of the project', () => {
    for (const { path, text } of planResource(copy, resourceNames({ name: 'stock entry', scope: 'agents' }))) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    const args = [join(copy, COMPILER), '-p', 'tsconfig.json', '--noEmit'];
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });
});
