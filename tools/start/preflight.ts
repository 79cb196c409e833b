import { ConfigError } from '@app/config';
import { checkSettings } from './check-settings.js';
import { readDotEnv } from './settings.js';

// As sysexits.h has them: the command line is wrong; the configuration is.
const EXIT_USAGE = 64;
const EXIT_CONFIG = 78;

const settingsHelp = `It takes no arguments: settings are environment variables, or the same in a file .env, for example
  CONTROL_PLANE_PORT=4000 PLATFORM_API_PORT=4001 npm start
All of them, with their defaults, are in .env.example.`;

const usages = {
  start: `Usage: npm start
Starts PostgreSQL, Redis, the control plane, the platform API and a worker, and stays until Ctrl-C.
${settingsHelp}
`,
  demo: `Usage: npm run demo
Starts a platform of its own on free ports, runs one agent, shows what happens, and stops everything.
${settingsHelp}
`,
} as const;

/**
 * Reads `.env` and looks at what can be wrong before anything is started. Answers the exit code where that is the end
 * already, all said.
 */
export function preflight(command: keyof typeof usages, args: readonly string[]): number | undefined {
  if (args.length > 0) return answerArguments(usages[command], args);
  readDotEnv();
  try {
    checkSettings();
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT_CONFIG;
  }
}

function answerArguments(usage: string, args: readonly string[]): number {
  if (args.length === 1 && /^(--help|-h|help)$/.test(args[0] ?? '')) {
    process.stdout.write(usage);
    return 0;
  }
  process.stderr.write(`Unexpected: ${args.join(' ')}\n${usage}`);
  return EXIT_USAGE;
}
