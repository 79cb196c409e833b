import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-program.js';

const CONSOLE_SOURCES = 'apps/console/src';
const IMPORT = /(?:\bfrom|\bimport)\s*(?:\(\s*)?'((?:@[\w.-]+\/)?[a-z][\w.-]*)[/']/g;
const OWN_LIBS = /^@app\//;
const DEVELOPMENT = 'cdx:npm:package:development';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly type: string;
  readonly scope?: string;
  readonly properties?: readonly { readonly name: string }[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

/** The parts of a CycloneDX document that are read here. */
export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

/**
 * Returns the packages that the product contains, as a CycloneDX 1.6 document made from the lock file: the dependencies
 * of the servers, and the development dependencies that the build puts into the console, with what they need.
 */
export function makeSbom(root: string, packageName: string): Sbom {
  const all = JSON.parse(runProgram(root, 'npm', 'sbom', '--sbom-format=cyclonedx', '--package-lock-only')) as Sbom;
  const shipped = shippedRefs(all, consolePackages(root));
  const { component } = all.metadata;
  return {
    ...all,
    // npm writes version 1.5, of which 1.6 is an extension.
    ...{ $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json', specVersion: '1.6' },
    // npm names the component after the folder.
    metadata: { ...all.metadata, component: { ...component, name: packageName, type: 'application' } },
    components: all.components.filter((each) => shipped.has(each['bom-ref'])).map(asShipped),
    dependencies: all.dependencies
      .filter(({ ref }) => shipped.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => shipped.has(each)) })),
  };
}

/** Returns the names of the packages that the sources of the console import. */
export function consolePackages(root: string): string[] {
  const names = new Set<string>();
  for (const entry of readdirSync(join(root, CONSOLE_SOURCES), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/(?<!\.spec)\.(tsx?|css)$/.test(entry.name)) continue;
    const source = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    for (const [, name = ''] of source.matchAll(IMPORT)) if (!OWN_LIBS.test(name)) names.add(name);
  }
  return [...names].toSorted();
}

function shippedRefs({ metadata, components, dependencies }: Sbom, bundled: readonly string[]): Set<string> {
  const root = metadata.component['bom-ref'];
  const dependsOn = new Map(dependencies.map((each) => [each.ref, each.dependsOn]));
  const direct = dependsOn.get(root) ?? [];
  const shipped = new Set([
    root,
    ...components.filter((each) => !isForDevelopment(each)).map((each) => each['bom-ref']),
  ]);
  const add = (ref: string): void => {
    if (shipped.has(ref)) return;
    shipped.add(ref);
    for (const needed of dependsOn.get(ref) ?? []) add(needed);
  };
  for (const name of bundled) {
    const ref = direct.find((each) => each.slice(0, each.lastIndexOf('@')) === name);
    if (ref === undefined) throw new Error(`The console imports ${name}, which package.json does not name`);
    add(ref);
  }
  return shipped;
}

function isForDevelopment({ properties = [] }: Component): boolean {
  return properties.some(({ name }) => name === DEVELOPMENT);
}

/** npm describes what the console contains as needed for development. */
function asShipped(component: Component): Component {
  if (!isForDevelopment(component)) return component;
  const properties = component.properties?.filter(({ name }) => name !== DEVELOPMENT) ?? [];
  return { ...component, scope: 'required', properties };
}
