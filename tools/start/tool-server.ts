// `npm run tool-server -- [options]`: runs the tool server alone, with the settings of the environment and `.env`.
import { pathToFileURL } from 'node:url';
import { compiled } from '../provision/project-root.js';
import { watchLauncher } from './launcher-watch.js';
import { readDotEnv } from './settings.js';

// npm forwards no signal when it is killed.
watchLauncher(() => process.kill(process.pid, 'SIGTERM'));
// Before the import: the modules of the server read the log level when they are loaded.
readDotEnv();
await import(pathToFileURL(compiled('bundles/tool-server')).href);
