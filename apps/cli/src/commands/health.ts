import { ApiError, unwrap } from '@app/api-client';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { EXIT_CODES } from '../errors.js';
import { formatOption, withExamples } from '../options.js';
import { printRows, type Format, type Row } from '../output.js';

const GOOD: ReadonlySet<unknown> = new Set(['ok', 'up', 'healthy', 'disabled']);

export function defineHealth(health: Command, context: CommandContext): void {
  health.addOption(formatOption()).action(async ({ output }: { readonly output: Format }) => {
    const rows = await readHealth(context);
    await printRows(context.terminal, rows, ['part', 'status', 'version', 'latency_ms'], output);
    if (!rows.every(({ status }) => GOOD.has(status))) context.exitCode = EXIT_CODES.negative;
  });
  withExamples(health, 'health', 'health -o json').addHelpText('after', '\nExit code 3: a check failed.');
}

async function readHealth(context: CommandContext): Promise<Row[]> {
  const connection = connect(context);
  const controlPlane = await reported(connection.controlPlane.GET('/api/health'));
  const { providers } = await unwrap(connection.controlPlane.GET('/api/health/event-bus'));
  const rows = [
    ...rowsOf('control plane', controlPlane),
    ...Object.entries(providers).map(([name, { status, latency_ms }]) => ({
      part: `events by ${name}`,
      status,
      latency_ms,
    })),
  ];
  if (connection.profile.platform_api_url === null) return rows;
  return [...rows, ...rowsOf('platform API', await reported(connection.platformApi.GET('/api/health')))];
}

interface Health {
  readonly status: string;
  readonly version: string;
  readonly checks: Row;
}

/** A process that cannot serve requests reports its checks with status 503. */
async function reported(call: Promise<{ data?: Health; error?: unknown; response: Response }>): Promise<Health> {
  try {
    return await unwrap(call);
  } catch (error) {
    if (error instanceof ApiError && isHealth(error.body)) return error.body;
    throw error;
  }
}

function isHealth(body: unknown): body is Health {
  return typeof body === 'object' && body !== null && 'status' in body && 'checks' in body;
}

function rowsOf(process: string, { status, version, checks }: Health): Row[] {
  const dependencies = Object.entries(checks).map(([name, state]) => ({ part: `${process}: ${name}`, status: state }));
  return [{ part: process, status, version }, ...dependencies];
}
