// `npm run --silent admin -- <command>`: operator commands that are not part of the APIs. Prints exactly one line of
// JSON to standard output on success, and a message to standard error on failure.
import { readDotEnv } from '../start/settings.js';
import { admin } from './admin.js';

readDotEnv();
void admin(process.argv.slice(2), process.stdout, process.stderr).then((code) => (process.exitCode = code));
