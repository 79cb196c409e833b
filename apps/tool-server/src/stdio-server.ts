import { ConfigError, loadConfig, ShutdownConfig, ToolServerConfig, ToolServerIdentityConfig } from '@app/config';
import { serveOverStdio, type CallProblem, type CallRecord } from '@app/mcp-tools';
import { ToolServerPlatformConfig } from './platform.config.js';

/** Serves one client over standard input and output. Records of calls and errors go to standard error. */
export function startStdioServer(): void {
  const { serviceApiKey: apiKey, authServer } = loadConfig(ToolServerIdentityConfig);
  if (authServer !== null) {
    throw new ConfigError(['--auth-server: tokens need the transport http; over stdio, set SERVICE_API_KEY instead']);
  }
  const { waitSeconds, exposeWorkflows, platformTimeoutMs: timeoutMs } = loadConfig(ToolServerConfig);
  const { url } = loadConfig(ToolServerPlatformConfig);
  const { graceMs } = loadConfig(ShutdownConfig);
  serveOverStdio({
    endpoint: { url, timeoutMs },
    apiKey,
    waitSeconds,
    exposeWorkflows,
    graceMs,
    record: writeRecord,
    report: writeProblem,
    warn: (warning) => writeLine({ warning }),
  });
}

function writeProblem({ error, tool, executionId }: CallProblem): void {
  writeLine({ tool, execution_id: executionId, error: (error as Error).stack });
}

function writeRecord({ tool, executionId, outcome, durationMs }: CallRecord): void {
  writeLine({ tool, execution_id: executionId, outcome, duration_ms: durationMs });
}

function writeLine(line: object): void {
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
