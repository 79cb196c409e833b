import { ConfigError, LogConfig, loadConfig } from '@app/config';
import { pino, type Logger, type LoggerOptions } from 'pino';
import { currentContext } from './request-context.js';
import { readableLine } from './readable-line.js';
import { serializeError } from './serialize-error.js';

export type { Logger } from 'pino';

/** Properties that are redacted in logged objects, up to two levels deep. */
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
 * Creates a logger that writes to `process.stdout`, which ignores a closed pipe. The default destination of pino
 * retries a broken pipe forever, so a process could not exit once the reader of its output has closed.
 */
function makeRoot(): Logger {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => undefined);
  const options: LoggerOptions = {
    level: level(),
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { pid: process.pid },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    serializers: { err: serializeError },
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const context = currentContext();
      if (context === undefined) return {};
      const { requestId, traceId, executionId, executionSpanId, spanId } = context;
      const span = executionSpanId ?? spanId;
      return {
        request_id: requestId,
        trace_id: traceId,
        ...(span === null ? {} : { span_id: span }),
        ...(executionId === undefined ? {} : { execution_id: executionId }),
      };
    },
  };
  return pino(options, new CollectedOutput());
}

/** Milliseconds for which lines are collected, because each write costs a system call. */
const COLLECT_MS = 10;

/**
 * Writes the lines of a short time to `process.stdout` together, at the latest when the process exits: as JSON, on a
 * terminal as readable lines.
 */
class CollectedOutput {
  private lines = '';

  constructor() {
    process.on('exit', () => this.flush());
  }

  write(line: string): void {
    if (this.lines === '') setTimeout(() => this.flush(), COLLECT_MS).unref();
    this.lines += process.stdout.isTTY ? readableLine(line) : line;
  }

  private flush(): void {
    if (this.lines === '') return;
    process.stdout.write(this.lines);
    this.lines = '';
  }
}

/** Loggers are created while modules load, before the configuration is checked. That check reports an invalid level. */
function level(): string {
  try {
    return loadConfig(LogConfig).level;
  } catch (error) {
    if (error instanceof ConfigError) return 'info';
    throw error;
  }
}

/** Returns a logger whose lines contain `part` and the ids of the current request. */
export function createLogger(part: string): Logger {
  return rootLogger().child({ part });
}
