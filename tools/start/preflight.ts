import { ConfigError } from '@app/config';
import { checkSettings } from './check-settings.js';
import { misspeltSettingWarnings } from './misspelt-settings.js';
import { readDotEnv } from './settings.js';

// EX_USAGE and EX_CONFIG of sysexits.h.
const EXIT_USAGE = 64;
const EXIT_CONFIG = 78;

const SETTINGS_HELP = `There are no arguments. Settings are environment variables, which a file .env can also contain, for example
  CONTROL_PLANE_PORT=4000 PLATFORM_API_PORT=4001 npm start
All settings and their defaults are in .env.example.`;

const USAGES = {
  start: `Usage: npm start
Starts PostgreSQL, Redis, the control plane, the platform API, the tool server and a worker, and runs until Ctrl-C.
${SETTINGS_HELP}
`,
  demo: `Usage: npm run demo
Starts a separate platform on free ports, runs an agent, a team and a workflow, and stops everything.
${SETTINGS_HELP}
`,
} as const;

/**
 * Reads `.env` and checks arguments and settings before anything is started. Returns undefined if the command may
 * start; otherwise prints the reason (or the help) and returns the exit code.
 */
export function preflight(command: keyof typeof USAGES, args: readonly string[]): number | undefined {
  if (args.length > 0) return handleArguments(USAGES[command], args);
  const dotEnvNames = readDotEnv();
  for (const warning of misspeltSettingWarnings(dotEnvNames, process.env)) process.stderr.write(`==> ${warning}\n`);
  try {
    checkSettings();
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT_CONFIG;
  }
}

function handleArguments(usage: string, args: readonly string[]): number {
  if (args.length === 1 && /^(--help|-h|help)$/.test(args[0] ?? '')) {
    process.stdout.write(usage);
    return 0;
  }
  process.stderr.write(`Unexpected arguments: ${args.join(' ')}\n${usage}`);
  return EXIT_USAGE;
}
