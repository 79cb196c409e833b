// `npm run worker`: the reference worker, with its settings from the environment and `.env`.
import { watchLauncher } from '../start/launcher-watch.js';
import { readDotEnv } from '../start/settings.js';

// npm that is killed passes nothing on.
watchLauncher(() => process.kill(process.pid, 'SIGTERM'));
// The worker's modules read the level of their logs while they are loaded.
readDotEnv();
await import('../../apps/worker/src/main.js');
