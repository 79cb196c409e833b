import 'reflect-metadata';
import {
  checkConfig,
  ConfigError,
  LogConfig,
  ShutdownConfig,
  ToolServerConfig,
  ToolServerIdentityConfig,
} from '@app/config';
import { CommanderError } from 'commander';
import { describeFaults, readOptions } from './options.js';
import { ToolServerPlatformConfig } from './platform.config.js';

/** EX_USAGE and EX_CONFIG of sysexits.h, as the other programs use them. */
const EXIT_USAGE = 64;
const EXIT_CONFIG = 78;
const CONFIGS = [ToolServerConfig, ToolServerIdentityConfig, ToolServerPlatformConfig, LogConfig, ShutdownConfig];

async function main(args: readonly string[]): Promise<void> {
  const transport = readOptions(args);
  // Before the check: the modules that are loaded without settings are in the code cache.
  const start = await (transport === 'http' ? loadHttp() : loadStdio());
  checkConfig(CONFIGS);
  await start();
}

async function loadHttp(): Promise<() => Promise<unknown>> {
  return (await import('./http-server.js')).startHttpServer;
}

async function loadStdio(): Promise<() => unknown> {
  return (await import('./stdio-server.js')).startStdioServer;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE);
  if (error instanceof ConfigError) {
    process.stderr.write(`tool-server cannot start:\n${describeFaults(error, process.argv)}\n`);
    process.exit(EXIT_CONFIG);
  }
  process.stderr.write(`tool-server cannot start: ${(error as Error).message}\n`);
  process.exit(1);
});
