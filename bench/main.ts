// `npm run bench [-- --quick]`: each figure beside its bare limit, in turn, on the same machine and stores. Prints the
// table, writes it as JSON, and fails no build: a figure is for people to judge.
import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../tools/provision/project-root.js';
import { toTable, type Figure } from './figures.js';
import { growth } from './growth.js';
import { keyCheck } from './key-check.js';
import { triggerToLease } from './latency.js';
import { startBenchPlatform } from './platform.js';
import { eventToReader } from './readers.js';
import { regoFigures } from './rego.js';
import { inheritedPolicies } from './policies.js';
import { atRest } from './rest.js';
import { prepareSetting } from './setting.js';
import { throughput } from './throughput.js';

const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : 5;
const step = (line: string): void => console.error(`==> ${line}`);

step('Starting PostgreSQL, Redis, a control plane and the bare servers');
const platform = await startBenchPlatform();
const figures: Figure[] = [];
try {
  const setting = await prepareSetting(platform);
  step('Event to reader');
  for (const readers of [1, 100, 1000]) {
    figures.push(...(await eventToReader(platform, readers, readers === 1000 ? 30 : 200, quick ? 1 : 3)));
  }
  step('Trigger to lease');
  figures.push(...(await triggerToLease(platform, setting, rounds, 100)));
  step('Requests a second');
  figures.push(...(await throughput(platform, setting, { rounds, seconds: quick ? 1 : 3 })));
  step('Key check');
  figures.push(await keyCheck(platform, rounds));
  step('Policies');
  figures.push(...regoFigures(rounds));
  figures.push(...(await inheritedPolicies(platform, rounds, quick ? 300 : 1000)));
  step('Growth');
  figures.push(...(await growth(platform, setting.executionId, rounds, quick ? 50 : 200)));
  step('At rest');
  figures.push(...(await atRest(platform, rounds)));
} finally {
  await platform.stop();
}
const [cpu] = cpus();
console.log(`\n${cpus().length} × ${cpu?.model ?? 'unknown'}, Node ${process.version}, ${rounds} rounds, medians\n`);
console.log(toTable(figures));
const file = join(projectRoot, '.data', 'bench', 'results.json');
await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify({ node: process.version, cpus: cpus().length, rounds, figures }, null, 2)}\n`);
console.log(`\nWritten to ${file}`);
process.exit(0);
