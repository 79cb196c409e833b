import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isVersion, VERSION_FORM } from './version.js';

/** The folders of the packages that are published. They have the version of the product. */
export const PUBLISHED = ['libs/alone/api-client', 'apps/cli', 'libs/alone/rego'] as const;

/** The file that decides the version. The other places repeat it. */
const ROOT_MANIFEST = 'package.json';

/** What precedes and follows the version in a file, as sources of regular expressions. */
interface Form {
  readonly before: string;
  readonly after: string;
}

const MANIFEST: Form = { before: String.raw`^\{\n(?:  .*\n)*?  "version": "`, after: '"' };
const LOCK_FILE: Form = {
  before: String.raw`^\{\n  "name": .*\n  "version": "|"": \{\n      "name": .*\n      "version": "`,
  after: '"',
};
const CONSTANT: Form = { before: `^export const VERSION = '`, after: `'` };
const OPENAPI: Form = { before: String.raw`^  "info": \{\n(?:    .*\n)*?    "version": "`, after: '"' };
const TARBALL: Form = { before: `(?:agentctl|agent-orchestration-(?:client|rego))-`, after: String.raw`\.tgz` };

/** Every place of the version in the repository. */
const PLACES: Readonly<Record<string, Form>> = {
  [ROOT_MANIFEST]: MANIFEST,
  'package-lock.json': LOCK_FILE,
  ...Object.fromEntries(PUBLISHED.map((folder) => [`${folder}/package.json`, MANIFEST])),
  'libs/foundation/kernel/src/version.ts': CONSTANT,
  'docs/openapi/control-plane.json': OPENAPI,
  'docs/openapi/platform-api.json': OPENAPI,
  'README.md': TARBALL,
  'apps/cli/README.md': TARBALL,
  'docs/guides/agentctl.md': TARBALL,
  'libs/alone/api-client/README.md': TARBALL,
  'libs/alone/rego/README.md': TARBALL,
  'examples/live-run/package.json': TARBALL,
};

/** The files that contain the version. */
export const VERSION_FILES = Object.keys(PLACES);

/** Returns the version of the product. */
export function readVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, ROOT_MANIFEST), 'utf8')) as { readonly version: string };
  if (!isVersion(version))
    throw new Error(`${ROOT_MANIFEST} has the version ${version}, which is not of the form 1.2.3`);
  return version;
}

/** Returns the files that do not have the version of the root package, each with what they have. */
export function findOtherVersions(root: string): string[] {
  const version = readVersion(root);
  return Object.entries(PLACES).flatMap(([file, form]) => {
    const found = readFileSync(join(root, file), 'utf8').match(patternOf(form)) ?? ['no version'];
    const others = found.filter((text) => text !== version);
    return others.map((other) => `${file} has ${other}, not ${version}`);
  });
}

/** Writes a version to all of its places. */
export function writeVersion(root: string, version: string): void {
  for (const [file, form] of Object.entries(PLACES)) {
    const path = join(root, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(patternOf(form), version));
  }
}

function patternOf({ before, after }: Form): RegExp {
  return new RegExp(`(?<=${before})${VERSION_FORM}(?=${after})`, 'gm');
}
