import {
  checkConfig,
  ConfigError,
  hideEnvironment,
  inheritedVariables,
  loadConfig,
  LogConfig,
  ModelGatewayConfig,
  TracingConfig,
} from '@app/config';
import { onShutdownSignals, SystemClock } from '@app/kernel';
import { createLogger, warnOfNodeVersion } from '@app/observability';
import { RestControlPlaneClient } from './control-plane/control-plane.client.js';
import { describeFatalError } from './errors/describe-fatal-error.js';
import { RetryingControlPlaneClient } from './control-plane/retrying-control-plane.client.js';
import { CommandRuntime } from './runtimes/command/command.runtime.js';
import { DefaultRuntime } from './runtimes/default/default.runtime.js';
import { RuntimeRegistry } from './runtimes/registry.js';
import { TeamRuntime } from './runtimes/team/team.runtime.js';
import { WorkflowRuntime } from './runtimes/workflow/workflow.runtime.js';
import { OfferedSkills } from './skills/offered-skills.js';
import { openTracing } from './tracing/tracing.js';
import { WorkerTracingConfig } from './tracing/tracing.config.js';
import { WorkbenchConfig, workspaceFolder } from './workbench.config.js';
import { WorkerConfig } from './worker.config.js';
import { Worker } from './worker.js';

/** EX_CONFIG of sysexits.h, as the servers use it: a restart does not help. */
const EXIT_CONFIG = 78;

try {
  checkConfig([WorkerConfig, WorkbenchConfig, WorkerTracingConfig, TracingConfig, ModelGatewayConfig, LogConfig]);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`worker cannot start: ${error.message}\n`);
  process.exit(EXIT_CONFIG);
}

const config = loadConfig(WorkerConfig);
const workbench = loadConfig(WorkbenchConfig);
const clock = new SystemClock();
const logger = createLogger('worker');
warnOfNodeVersion(logger);
const commands = workbench.runtimes.map(
  (runtime) => new CommandRuntime(runtime, inheritedVariables([...workbench.toolVariables, ...runtime.variables])),
);
const runtimes = new RuntimeRegistry([new DefaultRuntime(clock), ...commands], {
  team: new TeamRuntime(clock),
  workflow: new WorkflowRuntime(clock),
});
const skills = new OfferedSkills(workbench.skills, inheritedVariables(workbench.toolVariables));
// Tools run as the same user as the worker. This user can read the variables with which a process was started.
if (!hideEnvironment(workbench.toolVariables)) {
  logger.warn('the variables of this process cannot be hidden from its tools, which can read WORKER_API_KEY');
}
const tracing = openTracing({ ...config, config: loadConfig(TracingConfig) }, logger);
const client = new RestControlPlaneClient(config, clock, logger, { runtimes: runtimes.names, skills: skills.types });
const worker = new Worker(config, {
  controlPlane: new RetryingControlPlaneClient(client, logger),
  runtimes,
  gateway: loadConfig(ModelGatewayConfig),
  skills,
  workspaceFolder: workspaceFolder(workbench),
  tracing: { tracer: tracing.tracer, hasContent: loadConfig(WorkerTracingConfig).hasContent },
  clock,
  logger,
  onReady: ({ workerId, queueName }) => process.stdout.write(`worker ready: ${workerId} on queue ${queueName}\n`),
  onRefused: (reason) => process.stdout.write(`worker waiting for queue ${config.queue}: ${reason}\n`),
});

onShutdownSignals({ stop: () => worker.stop(), force: () => worker.stop() });

process.on('uncaughtException', (error) => void crash(error));
process.on('unhandledRejection', (reason) => void crash(reason));
worker.run().then(async () => {
  await tracing.close();
  process.exit(0);
}, crash);

/** Reports the error to the control plane before the process exits. */
async function crash(cause: unknown): Promise<void> {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const { fields, message } = describeFatalError(error);
  logger.fatal(fields, message);
  await worker.disconnect({ reason: 'crash', exit_code: 1, error_message: error.message });
  await tracing.close();
  process.exit(1);
}
