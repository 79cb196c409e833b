// `npm run generate [-- --check]`: writes what is derived from the code (.env.example, the OpenAPI documents, the typed
// client), or with --check fails when a committed file differs or the migrations do not make the entities' schema.
import './quiet.js';
import 'reflect-metadata';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { clientTypes } from './client-types.js';
import { envExample } from './env-example.js';
import { schemaDrift } from './migration-drift.js';
import { openApiDocuments } from './openapi-documents.js';
import { projectRoot } from '../provision/project-root.js';

const check = process.argv.includes('--check');

const documents = await openApiDocuments();
const files = new Map<string, string>([['.env.example', envExample()]]);
for (const { name, document } of documents) {
  files.set(`docs/openapi/${name}.json`, `${JSON.stringify(document, null, 2)}\n`);
  files.set(`libs/api-client/src/generated/${name}.ts`, await clientTypes(document));
}

const stale: string[] = [];
for (const [name, text] of files) {
  const path = join(projectRoot, name);
  const present = await readFile(path, 'utf8').catch(() => undefined);
  if (present === text) continue;
  stale.push(relative(projectRoot, path));
  if (check) continue;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
const drift = check ? await schemaDrift() : [];
for (const statement of drift) console.error(`The entities want, and no migration does: ${statement}`);
if (check && stale.length > 0) console.error(`Out of date, run \`npm run generate\`: ${stale.join(', ')}`);
if (!check) console.error(stale.length === 0 ? 'Everything was up to date.' : `Written: ${stale.join(', ')}`);
process.exit(check && (stale.length > 0 || drift.length > 0) ? 1 : 0);
