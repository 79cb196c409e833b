import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { compile, jsonText, parseJson, type Json, type ModuleSource, type Value } from '@app/rego';

/** What a file or folder holds that rules are evaluated with. */
export interface Documents {
  readonly modules: readonly ModuleSource[];
  /** All data documents in one; undefined where there are none. */
  readonly data: Value | undefined;
}

const DATA_FILES = ['.json', '.yaml', '.yml'];
/** Whoever starts the tool gives it the data; the time of the evaluation is bounded, not the size of the data. */
const READING = { steps: Infinity, milliseconds: Infinity, memory: Infinity };

/** `-` is the standard input. */
function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message.split(',')[0]}`, { cause: error });
  }
}

/** A document of JSON or, by the name of its file, of YAML. */
export function readDocument(path: string): Value {
  return parseDocument(path, readText(path));
}

/** Modules and data: files by themselves, and all that is in folders, the data below the names of folders in those. */
export function readDocuments(paths: readonly string[]): Documents {
  const modules: ModuleSource[] = [];
  const documents: Value[] = [];
  for (const { path, place } of paths.flatMap((root) => filesOf(root, ['.rego', ...DATA_FILES]))) {
    const text = readText(path);
    if (isData(path, text)) documents.push(below(place, parseDocument(path, text)));
    else modules.push({ name: path, text });
  }
  return { modules, data: documents.length < 2 ? documents[0] : merged(documents) };
}

/** The modules of files and folders. */
export function readModules(paths: readonly string[]): ModuleSource[] {
  const files = paths.flatMap((root) => filesOf(root, ['.rego']));
  return files.map(({ path }) => ({ name: path, text: readText(path) }));
}

interface FoundFile {
  readonly path: string;
  /** Names of the folders it is in, below the one that was named. */
  readonly place: readonly string[];
}

function filesOf(root: string, extensions: readonly string[]): FoundFile[] {
  const isFolder = root !== '-' && statSync(root, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return [{ path: root, place: [] }];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extensions.includes(extname(entry.name)))
    .map(({ name, parentPath }) => ({ path: join(parentPath, name), place: foldersBetween(root, parentPath) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function foldersBetween(root: string, folder: string): string[] {
  const between = relative(root, folder);
  return between === '' ? [] : between.split(sep);
}

/** By its name; what has none that tells, as a pipe, by how it begins. */
function isData(path: string, text: string): boolean {
  const extension = extname(path);
  return DATA_FILES.includes(extension) || (extension !== '.rego' && text.trimStart().startsWith('{'));
}

function parseDocument(path: string, text: string): Value {
  const isYaml = ['.yaml', '.yml'].includes(extname(path));
  try {
    return isYaml ? (ask('yaml.unmarshal(input)', text) ?? null) : parseJson(text);
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

function below(place: readonly string[], document: Value): Value {
  if (place.length === 0) return document;
  return parseJson(place.reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, jsonText(document)));
}

function merged(documents: readonly Value[]): Value {
  const all = ask('object.union_n(input)', documents);
  if (all === undefined) throw new Error('data must be objects');
  return all;
}

/** Builtins of the language read and join documents as policies would. */
function ask(query: string, input: Json | Value): Value | undefined {
  return compile([]).query(query).valueExact({ input, budget: READING, strict: true });
}
