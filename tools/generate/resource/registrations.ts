import { InvalidResource } from './invalid-resource.js';

/** A line that an existing file needs for the new resource. */
export interface Registration {
  readonly file: string;
  /** Contains the placeholder name of the templates. */
  readonly line: string;
  /**
   * Beginning of the line that opens the list, which ends at its closing bracket. Absent: the list is the whole file.
   */
  readonly list?: string;
  /**
   * Matches the lines of the list; the new line is inserted in the order of the first group. Absent: it is appended.
   */
  readonly sortedBy?: RegExp;
}

const MIGRATIONS = 'libs/foundation/database/src/migrations/index.ts';
const APP_MODULE = 'apps/control-plane/src/app.module.ts';
const ERRORS = 'libs/foundation/kernel/src/error-catalogue.ts';
const GLOSSARY = 'apps/control-plane/src/glossary.ts';
const CYCLES = 'test/control-plane/cycles/index.ts';
const CATALOGUE = 'export const ERROR_CATALOGUE = {';

/** All lines that a resource needs in existing files. */
export const REGISTRATIONS: readonly Registration[] = [
  {
    file: MIGRATIONS,
    line: "import { SomeThings1700000000000 } from './1700000000000-some-things.js';",
    sortedBy: /from '\.\/(\d+)/,
  },
  { file: MIGRATIONS, list: 'export const migrations', line: '  SomeThings1700000000000,' },
  {
    file: APP_MODULE,
    line: "import { SomeThingsHttpModule } from './some-things/some-things.http.module.js';",
    sortedBy: /from '(\.\/.*)'/,
  },
  { file: APP_MODULE, list: '  imports: [', line: '    SomeThingsHttpModule,' },
  { file: '.dependency-cruiser.cjs', list: 'const SIDEWAYS = {', line: "  'some-things': []," },
  {
    file: ERRORS,
    list: CATALOGUE,
    line: "  some_thing_not_found: missing('The some thing'),",
    sortedBy: /^ {2}(\w+_not_found):/,
  },
  {
    file: ERRORS,
    list: CATALOGUE,
    line: "  some_thing_name_taken: of('conflict', 'Another some thing has this name.'),",
    sortedBy: /^ {2}(\w+): of\('conflict'/,
  },
  { file: GLOSSARY, list: 'export const tags', line: "  'some-things': 'Some description'," },
  {
    file: GLOSSARY,
    list: 'export const parameters',
    line: "  some_thing_id: 'Some thing id',",
    sortedBy: /^ {2}(\w+):/,
  },
  {
    file: 'test/support/tenant-fixture.ts',
    list: '  private async createResources(): Promise<void> {',
    line: "    await this.create('some_thing_id', 'some-things', { name: `some-thing-${suffix}` });",
  },
  { file: CYCLES, line: "import { someThings } from './some-things.js';", sortedBy: /from '(\.\/.*)'/ },
  { file: CYCLES, list: '  return {', line: '    someThings,' },
  {
    file: 'apps/console/src/resource/resource.ts',
    list: 'export const RESOURCE_PATHS = [',
    line: "  '/some-things',",
    sortedBy: /^ {2}'(.*)'/,
  },
  {
    file: 'apps/console/src/router.tsx',
    list: 'const resources = [',
    line: "  ...resourceRoutes('/some-things', ['B1'], () => import('./features/library/some-things')),",
  },
  {
    file: 'apps/console/src/shell/page-groups.ts',
    list: 'const LIBRARY = [',
    line: "  { to: '/some-things', name: 'Some things' },",
  },
  {
    file: 'test/console/resources.e2e-spec.ts',
    list: 'const NEW: ',
    line: "  ['/some-things', 'some thing', { Name: 'some thing' }],",
  },
];

/**
 * Returns the text with the line inserted. Throws `InvalidResource` if its position is not found or the line exists.
 */
export function register(text: string, { file, line, list, sortedBy }: Registration): string {
  const lines = text.split('\n');
  const start = list === undefined ? 0 : lines.findIndex((candidate) => candidate.startsWith(list));
  const end = list === undefined ? lines.length : closingLine(lines, start);
  if (start < 0 || end < 0) throw new InvalidResource(`${file} has no "${list}": adapt registrations.ts to it.`);
  if (lines.slice(start, end).some((present) => keyOf(present) === keyOf(line))) {
    throw new InvalidResource(`${file} already has the line "${keyOf(line)}".`);
  }
  const index = sortedBy === undefined ? end : sortedPlace(lines, start, end, line, sortedBy);
  if (index < 0)
    throw new InvalidResource(`${file} has no line like ${String(sortedBy)}: adapt registrations.ts to it.`);
  return lines.toSpliced(index, 0, line).join('\n');
}

/** Returns ARCHITECTURE.md with the lib in its tree, after the other domains. */
export function registerInTree(architecture: string, lib: string, description: string): string {
  const lines = architecture.split('\n');
  const index = lines.findIndex((line) => line.startsWith('  wire/'));
  if (index < 0)
    throw new InvalidResource('ARCHITECTURE.md has no line for the layer wire: adapt registrations.ts to it.');
  const text = `${description.charAt(0).toLowerCase()}${description.slice(1)}`;
  return lines.toSpliced(index, 0, `    ${lib.padEnd(16)} ${text}`).join('\n');
}

interface NestProject {
  readonly type: 'application' | 'library';
}

/** Returns nest-cli.json with an added lib of this name; libs follow the applications, in alphabetical order. */
export function registerLib(nestCli: string, lib: string): string {
  const { projects, ...rest } = JSON.parse(nestCli) as { projects: Readonly<Record<string, NestProject>> };
  const own = {
    type: 'library' as const,
    root: `libs/domains/${lib}`,
    sourceRoot: `libs/domains/${lib}/src`,
    entryFile: 'index',
    generateOptions: { flat: true },
  };
  const ordered = Object.entries({ ...projects, [lib]: own }).toSorted(
    ([name, { type }], [otherName, { type: otherType }]) =>
      type === otherType && type === 'library' ? compareTexts(name, otherName) : compareTexts(type, otherType),
  );
  return JSON.stringify({ ...rest, projects: Object.fromEntries(ordered) }, null, 2);
}

function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Returns the index of the first line after `start` with its indentation that begins with a closing bracket, or -1. */
function closingLine(lines: readonly string[], start: number): number {
  const indent = (line: string): number => line.search(/\S/);
  const depth = indent(lines[start] ?? '');
  return lines.findIndex((line, index) => index > start && indent(line) === depth && /^\s*[\]})]/.test(line));
}

/**
 * Returns the position before the first matching line with a greater value, else after the paragraph of the last matching
 * line; -1 if no line matches.
 */
function sortedPlace(lines: readonly string[], start: number, end: number, line: string, sortedBy: RegExp): number {
  const valueOf = (candidate: string): string | undefined => sortedBy.exec(candidate)?.[1];
  const own = valueOf(line) ?? '';
  const inList = (index: number): boolean => index >= start && index < end;
  const greater = lines.findIndex((candidate, index) => inList(index) && (valueOf(candidate) ?? '') > own);
  if (greater >= 0) return greater;
  const last = lines.findLastIndex((candidate, index) => inList(index) && valueOf(candidate) !== undefined);
  if (last < 0) return -1;
  const blank = lines.findIndex((candidate, index) => index > last && candidate.trim() === '');
  return blank >= 0 && blank < end ? blank : end;
}

/** Returns the part of a line that must be unique: the key of an entry, else the line itself. */
function keyOf(line: string): string {
  const [, key] = /^\s*(['\w-]+): /.exec(line) ?? [];
  return (key ?? line.trim()).replaceAll("'", '');
}
