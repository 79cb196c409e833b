import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { compile, jsonText, parseJson, type Json, type ModuleSource, type Value } from '@app/rego';

/** The modules and data of an evaluation. */
export interface Documents {
  readonly modules: readonly ModuleSource[];
  /** All data documents merged; undefined if there are none. */
  readonly data: Value | undefined;
}

const DATA_EXTENSIONS = ['.json', '.yaml', '.yml'];
/** No limits on parsing and merging, because local files are trusted input. */
const UNLIMITED_BUDGET = { steps: Infinity, milliseconds: Infinity, memory: Infinity };

/** Reads a file; `-` is standard input. */
function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message.split(',')[0]}`, { cause: error });
  }
}

/** Reads a JSON or YAML document; `parseDocument` detects the format. */
export function readDocument(path: string): Value {
  return parseDocument(path, readText(path));
}

/** Reads modules and data from files and folders. Data in a subfolder is nested under the names of the subfolders. */
export function readDocuments(paths: readonly string[]): Documents {
  const modules: ModuleSource[] = [];
  const documents: Value[] = [];
  for (const { path, dataPath } of paths.flatMap((root) => filesOf(root, ['.rego', ...DATA_EXTENSIONS]))) {
    const text = readText(path);
    if (isData(path, text)) documents.push(nestUnder(dataPath, parseDocument(path, text)));
    else modules.push({ name: path, text });
  }
  return { modules, data: documents.length < 2 ? documents[0] : merge(documents) };
}

/** Reads the modules of files and folders. */
export function readModules(paths: readonly string[]): ModuleSource[] {
  const files = paths.flatMap((root) => filesOf(root, ['.rego']));
  return files.map(({ path }) => ({ name: path, text: readText(path) }));
}

interface FoundFile {
  readonly path: string;
  /** The names of the folders between the given folder and the file. */
  readonly dataPath: readonly string[];
}

function filesOf(root: string, extensions: readonly string[]): FoundFile[] {
  const isFolder = root !== '-' && statSync(root, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return [{ path: root, dataPath: [] }];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extensions.includes(extname(entry.name)))
    .map(({ name, parentPath }) => ({ path: join(parentPath, name), dataPath: foldersBetween(root, parentPath) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function foldersBetween(root: string, folder: string): string[] {
  const between = relative(root, folder);
  return between === '' ? [] : between.split(sep);
}

/** Whether a file contains data. Depends on the extension or, for input without one such as a pipe, on the first character. */
function isData(path: string, text: string): boolean {
  const extension = extname(path);
  return DATA_EXTENSIONS.includes(extension) || (extension !== '.rego' && text.trimStart().startsWith('{'));
}

function parseDocument(path: string, text: string): Value {
  const isYaml = ['.yaml', '.yml'].includes(extname(path));
  try {
    return isYaml ? (evaluateBuiltin('yaml.unmarshal(input)', text) ?? null) : parseJson(text);
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Wraps a document in one object per name of the path. */
function nestUnder(dataPath: readonly string[], document: Value): Value {
  if (dataPath.length === 0) return document;
  return parseJson(dataPath.reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, jsonText(document)));
}

/** Merges documents recursively; later ones take precedence. Throws if one is not an object. */
function merge(documents: readonly Value[]): Value {
  const merged = evaluateBuiltin('object.union_n(input)', documents);
  if (merged === undefined) throw new Error('data must be objects');
  return merged;
}

/** Uses the builtins of Rego, so that documents are parsed and merged exactly as policies do it. */
function evaluateBuiltin(query: string, input: Json | Value): Value | undefined {
  return compile([]).query(query).valueExact({ input, budget: UNLIMITED_BUDGET, strict: true });
}
