import { checkConfig, ConfigError, loadConfig, LogConfig, ModelGatewayConfig } from '@app/config';
import { SystemClock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { RestControlPlane } from './control-plane.client.js';
import { lastWords } from './last-words.js';
import { PatientControlPlane } from './patient-control-plane.js';
import { DefaultRuntime } from './runtimes/default/default.runtime.js';
import { RuntimeRegistry } from './runtimes/registry.js';
import { WorkerConfig } from './worker.config.js';
import { Worker } from './worker.js';

/** What sysexits.h says of a configuration error, as the servers do: a restart will not mend it. */
const EXIT_CONFIG = 78;

try {
  checkConfig([WorkerConfig, ModelGatewayConfig, LogConfig]);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`worker cannot start: ${error.message}\n`);
  process.exit(EXIT_CONFIG);
}

const config = loadConfig(WorkerConfig);
const clock = new SystemClock();
const logger = createLogger('worker');
const client = new RestControlPlane(config, clock, logger);
const worker = new Worker(config, {
  controlPlane: new PatientControlPlane(client, logger),
  runtimes: new RuntimeRegistry([new DefaultRuntime(clock)]),
  gateway: loadConfig(ModelGatewayConfig),
  clock,
  logger,
  onReady: ({ workerId, queueName }) => process.stdout.write(`worker ready: ${workerId} on queue ${queueName}\n`),
});

// Ctrl-C reaches a worker under npm twice, from the terminal and from npm that passes it on: that is one request.
const sameRequestMs = 700;
let stopAskedAt = 0;
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);

function stop(): void {
  const now = clock.millis();
  if (now - stopAskedAt < sameRequestMs) return;
  stopAskedAt = now;
  worker.stop();
}

process.on('uncaughtException', (error) => void crash(error));
process.on('unhandledRejection', (reason) => void crash(reason));
worker.run().then(() => process.exit(0), crash);

/** The control plane learns why before the process ends. */
async function crash(cause: unknown): Promise<void> {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const { fields, message } = lastWords(error);
  logger.fatal(fields, message);
  await worker.disconnect({ reason: 'crash', exit_code: 1, error_message: error.message });
  process.exit(1);
}
