import { ConfigError, LogConfig, loadConfig } from '@app/config';
import { pino, type Logger, type LoggerOptions } from 'pino';
import { currentContext } from './request-context.js';

export type { Logger } from 'pino';

/** Values that must never reach a log, wherever an object that holds them is logged. */
const SECRETS = [
  'authorization',
  'api_key',
  'apiKey',
  'key',
  'secret',
  'password',
  'token',
  'lease_token',
  'webhook_secret',
];

let root: Logger | undefined;

function rootLogger(): Logger {
  root ??= makeRoot();
  return root;
}

/**
 * Lines go through the process's own stdout, which gives up when nobody reads any more. The library's own destination
 * tries a broken pipe again for ever, and a process whose reader died could never end.
 */
function makeRoot(): Logger {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => undefined);
  const options: LoggerOptions = {
    level: level(),
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { pid: process.pid },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const context = currentContext();
      if (context === undefined) return {};
      const { requestId, traceId, executionId } = context;
      return {
        request_id: requestId,
        trace_id: traceId,
        ...(executionId === undefined ? {} : { execution_id: executionId }),
      };
    },
  };
  return pino(options, process.stdout);
}

/** Modules make their loggers while they are loaded; that a level is wrong is told by the check that follows, with all else. */
function level(): string {
  try {
    return loadConfig(LogConfig).level;
  } catch (error) {
    if (error instanceof ConfigError) return 'info';
    throw error;
  }
}

/** A logger whose lines carry `part`, and the ids of the request they belong to. */
export function createLogger(part: string): Logger {
  return rootLogger().child({ part });
}
