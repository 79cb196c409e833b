import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { projectRoot } from '../provision/project-root.js';
import type { Manifest } from './manifests.js';

type Model = new (data: object) => { validate(): void };

const MODULES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  v1: core,
  'apps/v1': apps,
  'autoscaling/v2': autoscaling,
  'networking.k8s.io/v1': networking,
  'policy/v1': policy,
};

/** Throws if an object violates the schema of Kubernetes, or is of an unknown kind. */
export function validate(manifest: Manifest): void {
  const { apiVersion, kind } = manifest;
  const model = MODULES[apiVersion]?.[kind] as Model | undefined;
  if (model === undefined) throw new Error(`Unknown kind: ${apiVersion} ${kind}`);
  new model(manifest).validate();
}

/**
 * Returns the errors of the compiler for objects as literals of their types. The schemas of Kubernetes allow unknown
 * fields, which its servers ignore: only the compiler finds a misspelt one.
 */
export function typeErrors(manifests: readonly Manifest[]): string {
  const parent = join(projectRoot, '.data');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'manifests-'));
  try {
    const options = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      module: 'esnext',
      moduleResolution: 'bundler',
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['manifests.ts'] }));
    const literals = manifests.map((manifest, index) => {
      const { apiVersion, kind } = manifest;
      const path = `kubernetes-models/${apiVersion}/${kind}`;
      return `import type { I${kind} as T${index} } from '${path}';
export const x${index}: T${index} = ${JSON.stringify(manifest, null, 1)};`;
    });
    writeFileSync(join(folder, 'manifests.ts'), literals.join('\n'));
    const tsc = join(projectRoot, 'node_modules/@typescript/native/bin/tsc');
    return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
