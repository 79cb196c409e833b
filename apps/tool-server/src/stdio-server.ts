import { ConfigError, loadConfig, ToolServerConfig, ToolServerIdentityConfig } from '@app/config';
import { serveOverStdio, type CallRecord } from '@app/workflow-tools';
import { ToolServerPlatformConfig } from './platform.config.js';

/** Serves one client over standard input and output. Records of calls go to standard error. */
export function startStdioServer(): void {
  const { serviceApiKey: apiKey, authServer } = loadConfig(ToolServerIdentityConfig);
  if (authServer !== null) {
    throw new ConfigError(['--auth-server: tokens need the transport http; over stdio, set SERVICE_API_KEY instead']);
  }
  const { waitSeconds, exposeWorkflows } = loadConfig(ToolServerConfig);
  const { url: platformUrl } = loadConfig(ToolServerPlatformConfig);
  serveOverStdio({ platformUrl, apiKey, waitSeconds, exposeWorkflows, record: writeRecord });
}

function writeRecord({ tool, executionId, outcome, durationMs }: CallRecord): void {
  const line = { tool, execution_id: executionId, outcome, duration_ms: durationMs };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
