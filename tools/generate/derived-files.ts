import './quiet.js';
import 'reflect-metadata';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { clientTypes } from './client-types.js';
import { consoleForms } from './console-forms.js';
import { envExample } from './env-example.js';
import { errorCodes } from './error-codes.js';
import { errorGuide } from './error-guide.js';
import { eventGuide, eventTypes } from './event-types.js';
import { exampleInReadme, SHOWN_EXAMPLES } from './example-in-readme.js';
import { listFilters } from './list-filters.js';
import { schemaDrift } from './migration-drift.js';
import { openApiDocuments } from './openapi-documents.js';
import { otherApiRoutes } from './other-api-routes.js';
import { repeatablePosts } from './repeatable-posts.js';
import { regoBuiltins } from './rego-builtins.js';
import { requestFields } from './request-fields.js';
import { scopeGuide } from './scope-guide.js';
import { projectRoot } from '../provision/project-root.js';

const ERROR_GUIDE = 'docs/guides/errors.md';
const EVENT_GUIDE = 'docs/guides/events.md';
const SCOPE_GUIDE = 'docs/guides/keys.md';
const README = 'README.md';

/**
 * Writes the files that are derived from the code and returns the exit code 0. With `check` it writes nothing and
 * returns 1 if a committed file differs or the migrations do not create the schema of the entities.
 */
export async function generateDerivedFiles({ check }: { readonly check: boolean }): Promise<number> {
  const stale: string[] = [];
  for (const [name, text] of await derivedFiles()) {
    const path = join(projectRoot, name);
    const present = await readFile(path, 'utf8').catch(() => undefined);
    if (present === text) continue;
    stale.push(name);
    if (check) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  if (!check) {
    console.error(stale.length === 0 ? 'All derived files are up to date.' : `Written: ${stale.join(', ')}`);
    return 0;
  }
  const drift = await schemaDrift();
  for (const statement of drift) console.error(`The entities require a change that no migration makes: ${statement}`);
  if (stale.length > 0) console.error(`Out of date, run \`npm run generate\`: ${stale.join(', ')}`);
  return stale.length > 0 || drift.length > 0 ? 1 : 0;
}

/** Returns the text of each derived file by its path from the root of the project. */
async function derivedFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>([['.env.example', envExample()]]);
  const documents = await openApiDocuments();
  for (const { name, document } of documents) {
    files.set(`docs/openapi/${name}.json`, `${JSON.stringify(document, null, 2)}\n`);
    files.set(`libs/alone/api-client/src/generated/${name}.ts`, await clientTypes(document));
  }
  files.set('apps/console/src/api/generated/forms.ts', consoleForms(documents));
  files.set('apps/console/src/api/generated/rego-builtins.ts', regoBuiltins());
  files.set('libs/alone/api-client/src/generated/error-codes.ts', errorCodes());
  files.set('libs/alone/api-client/src/generated/events.ts', await eventTypes());
  files.set('libs/alone/api-client/src/generated/list-filters.ts', listFilters(documents));
  files.set('libs/alone/api-client/src/generated/repeatable-posts.ts', repeatablePosts(documents));
  files.set('libs/alone/api-client/src/generated/request-fields.ts', requestFields(documents));
  const [controlPlane, platformApi] = documents;
  files.set(
    'apps/platform-api/src/control-plane-routes.ts',
    otherApiRoutes('CONTROL_PLANE_ROUTES', controlPlane, platformApi),
  );
  files.set(
    'apps/control-plane/src/platform-api-routes.ts',
    otherApiRoutes('PLATFORM_API_ROUTES', platformApi, controlPlane),
  );
  files.set(ERROR_GUIDE, await errorGuide(await read(ERROR_GUIDE), ERROR_GUIDE));
  files.set(EVENT_GUIDE, await eventGuide(await read(EVENT_GUIDE), EVENT_GUIDE));
  files.set(SCOPE_GUIDE, await scopeGuide(await read(SCOPE_GUIDE), SCOPE_GUIDE, documents));
  let readme = await read(README);
  for (const example of SHOWN_EXAMPLES) readme = await exampleInReadme(readme, README, example, await read(example));
  return files.set(README, readme);
}

async function read(name: string): Promise<string> {
  return readFile(join(projectRoot, name), 'utf8');
}
