import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { projectRoot } from '../../provision/project-root.js';
import { spell } from './fill-template.js';
import { InvalidResource } from './invalid-resource.js';
import { planResource, type PlannedFile } from './plan-resource.js';
import { resourceNames, type ResourceNames } from './resource-names.js';

const USAGE = `Usage: npm run generate -- resource NAME [--plural PLURAL] [--scope SCOPE] [--description TEXT]
  NAME           singular, in lower-case words: "widget", "work item" or work-item
  --plural       where the regular plural is wrong: --plural people
  --scope        key scopes of the routes, SCOPE:read and SCOPE:write; default: the plural
  --description  noun phrase for the documents: --description 'Widgets that teams share'; default: the plural`;

/**
 * `npm run generate -- resource NAME`: creates the lib, routes, migration, registrations and tests of a resource, then
 * generates the derived files. Returns the exit code. Writes nothing if the resource cannot be added.
 */
export async function generateResource(args: readonly string[]): Promise<number> {
  let names: ResourceNames;
  let files: readonly PlannedFile[];
  try {
    names = parseNames(args);
    files = await Promise.all(planResource(projectRoot, names).map(formatted));
  } catch (error) {
    if (!(error instanceof InvalidResource)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  for (const { path, text } of files) {
    mkdirSync(dirname(join(projectRoot, path)), { recursive: true });
    writeFileSync(join(projectRoot, path), text);
  }
  report(files);
  const { status } = spawnSync(process.execPath, [join(projectRoot, 'tools/run.mjs'), 'generate'], {
    stdio: 'inherit',
  });
  if (status !== 0)
    console.error('The derived files were not generated; correct the error, then run `npm run generate`.');
  else console.log(nextSteps(names));
  return status ?? 1;
}

function parseNames(args: readonly string[]): ResourceNames {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { plural: { type: 'string' }, scope: { type: 'string' }, description: { type: 'string' } },
    });
    return resourceNames({ name: positionals.join(' '), ...values });
  } catch (error) {
    if (error instanceof TypeError) throw new InvalidResource(error.message);
    throw error;
  }
}

async function formatted(file: PlannedFile): Promise<PlannedFile> {
  const filepath = join(projectRoot, file.path);
  const options = await resolveConfig(join(projectRoot, 'package.json'));
  return { ...file, text: await format(file.text, { ...options, filepath }) };
}

function report(files: readonly PlannedFile[]): void {
  const list = (isNew: boolean): string =>
    files
      .filter((file) => file.isNew === isNew)
      .map(({ path }) => `  ${path}`)
      .join('\n');
  console.log(`Written:\n${list(true)}\nChanged:\n${list(false)}`);
}

function nextSteps({ plural }: ResourceNames): string {
  const { kebab } = spell(plural);
  return `
Next, as in CONTRIBUTING.md, "Add a resource":
  1. Fields: migration, entity, types, request DTO, response DTO with mapper; defaults in the service.
  2. Links to other resources: .dependency-cruiser.cjs, module, service, presenter; test/laws/isolation.e2e-spec.ts.
  3. What clients send and expect: test/control-plane/cycles/${kebab}.ts.
  4. npm run generate; then the page of the console: apps/console/src/features/library/${kebab}.tsx.
  5. npm test -- libs/domains/${kebab} test/control-plane/${kebab} test/control-plane/resource-cycles test/laws
  6. npm run check`;
}
