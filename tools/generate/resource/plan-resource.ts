import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fillTemplate, rejectUsedIdentifiers, spell } from './fill-template.js';
import { InvalidResource } from './invalid-resource.js';
import { register, registerInTree, registerLib, REGISTRATIONS } from './registrations.js';
import type { ResourceNames } from './resource-names.js';

export interface PlannedFile {
  /** Path from the root of the project. */
  readonly path: string;
  readonly text: string;
  readonly isNew: boolean;
}

const TEMPLATES = 'tools/generate/resource/templates';
const TEMPLATE_EXTENSION = '.template';
const NEST_CLI = 'nest-cli.json';
const ARCHITECTURE = 'ARCHITECTURE.md';
const MIGRATIONS = 'libs/foundation/database/src/migrations';
const MIGRATION_STEP = 1000;

/** Returns every file of a new resource, not yet formatted. Throws `InvalidResource` if it cannot be added. */
export function planResource(root: string, names: ResourceNames): readonly PlannedFile[] {
  rejectPresent(root, names);
  const templates = readTemplates(root);
  rejectUsedIdentifiers([...templates.values()], names);
  const migrationNumber = nextMigrationNumber(root);
  const fill = (template: string): string => fillTemplate(template, names, migrationNumber);
  const files = [
    ...[...templates].map(([path, template]) => ({ path: fill(path), text: fill(template), isNew: true })),
    ...[...registered(root, names, fill)].map(([path, text]) => ({ path, text, isNew: false })),
  ];
  const present = files.find(({ path, isNew }) => isNew && existsSync(join(root, path)));
  if (present !== undefined) throw new InvalidResource(`${present.path} already exists.`);
  return files;
}

function rejectPresent(root: string, { plural }: ResourceNames): void {
  const { kebab, snake } = spell(plural);
  const folder = [`libs/domains/${kebab}`, `apps/control-plane/src/${kebab}`].find((path) =>
    existsSync(join(root, path)),
  );
  if (folder !== undefined) throw new InvalidResource(`The folder ${folder} already exists.`);
  const migration = readdirSync(join(root, MIGRATIONS)).find((name) =>
    new RegExp(`CREATE TABLE ${snake}\\b`).test(readFileSync(join(root, MIGRATIONS, name), 'utf8')),
  );
  if (migration !== undefined) throw new InvalidResource(`${migration} already creates a table ${snake}.`);
}

/** Returns the templates by their path in the project. The folder of the templates mirrors the project. */
function readTemplates(root: string): ReadonlyMap<string, string> {
  const folder = join(root, TEMPLATES);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith(TEMPLATE_EXTENSION),
  );
  return new Map(
    names
      .toSorted()
      .map((name) => [
        name.slice(0, -TEMPLATE_EXTENSION.length).replaceAll(sep, '/'),
        readFileSync(join(folder, name), 'utf8'),
      ]),
  );
}

/** Migrations run in numeric order, so a new one gets a number after the last one. */
function nextMigrationNumber(root: string): number {
  const numbers = readdirSync(join(root, MIGRATIONS)).map((name) => Number.parseInt(name, 10));
  return Math.max(...numbers.filter(Number.isFinite)) + MIGRATION_STEP;
}

/** Returns the changed text of each file in which resources are registered. */
function registered(
  root: string,
  { plural, description }: ResourceNames,
  fill: (template: string) => string,
): ReadonlyMap<string, string> {
  const lib = spell(plural).kebab;
  const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
  const texts = new Map([
    [NEST_CLI, registerLib(textOf(NEST_CLI), lib)],
    [ARCHITECTURE, registerInTree(textOf(ARCHITECTURE), lib, description)],
  ]);
  for (const registration of REGISTRATIONS) {
    const { file } = registration;
    const text = texts.get(file) ?? textOf(file);
    texts.set(file, register(text, { ...registration, line: fill(registration.line) }));
  }
  return texts;
}
