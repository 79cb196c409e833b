// `node code-cache.mjs <bundle> <cache>`: runs a bundled program without settings and writes V8's code cache when it
// exits. A program without settings loads its modules, reports what is missing and exits, so the cache contains the code
// that runs while modules are loaded. Without settings it connects to nothing.
import { writeFileSync } from 'node:fs';
import { bundleId, compileBundle, readBundle, runBundle } from './program.mjs';

const [bundle, cache] = process.argv.splice(2);
const source = readBundle(bundle);
const script = compileBundle(bundle, source);
process.once('exit', () =>
  writeFileSync(cache, Buffer.concat([Buffer.from(bundleId(source)), script.createCachedData()])),
);
runBundle(bundle, script);
