import { isJsonObject, type JsonObject } from '@app/kernel';

/** The token every write of one run carries, and the execution it is for. */
export interface LeaseRef {
  readonly executionId: string;
  readonly token: string;
  /** W3C trace id that ties the run's requests to the trigger's. */
  readonly traceId: string;
}

interface AgentSpec {
  readonly id: string | null;
  readonly name: string | null;
  readonly systemPrompt: string | null;
  readonly runtime: string;
  readonly configuration: JsonObject;
  readonly llmConfig: JsonObject;
}

/** One piece of work as handed out by a poll, with everything a runtime needs. */
export interface Lease extends LeaseRef {
  readonly attempt: number;
  /** How long the lease lasts without renewal, in milliseconds. */
  readonly durationMs: number;
  readonly kind: 'agent' | 'team' | 'workflow' | 'none';
  readonly agent: AgentSpec;
  readonly prompt: string;
  readonly systemPrompt: string | null;
  readonly jobId: string | null;
  readonly model: string | null;
  /** The run as a whole, in milliseconds. */
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Names in `environment` whose values must not be shown. */
  readonly secretNames: readonly string[];
  readonly mcpServers: JsonObject;
}

const DEFAULT_TIMEOUT_SECONDS = 3600;
const DEFAULT_LEASE_MS = 60_000;

/**
 * Reads a lease from the wire. Only the execution's id and the token are indispensable; anything else that is missing or of
 * another type counts as not given, so that a newer control plane can say more and an older one less.
 * @returns `null` where the value is no lease.
 */
export function readLease(value: unknown, now: number, newTraceId: (traceparent?: string) => string): Lease | null {
  const wire = object(value);
  const execution = object(wire['execution']);
  const executionId = text(execution['id']) ?? text(wire['execution_id']);
  const token = text(wire['lease_token']);
  if (executionId === null || token === null) return null;
  const agent = object(wire['agent']);
  const environments = [object(wire['team']), agent, execution].map((owner) => object(owner['execution_environment']));
  return {
    executionId,
    token,
    traceId: newTraceId(traceparentOf(wire, execution)),
    attempt: number(wire['attempt']) ?? 1,
    durationMs: leaseDuration(wire['expires_at'], now),
    kind: kindOf(wire),
    agent: readAgent(agent),
    prompt: text(execution['prompt']) ?? '',
    systemPrompt: text(execution['system_prompt']),
    jobId: text(execution['job_id']) ?? text(wire['job_id']),
    model: readModel(wire, agent),
    timeoutMs: 1000 * readTimeoutSeconds(wire, execution, agent),
    environment: readEnvironment(object(wire['environment']), environments),
    secretNames: environments.flatMap((environment) => texts(environment['secrets'])),
    mcpServers: Object.assign(
      {},
      ...environments.map((environment) => object(environment['mcp_servers'])),
    ) as JsonObject,
  };
}

function readAgent(agent: JsonObject): AgentSpec {
  return {
    id: text(agent['id']),
    name: text(agent['name']),
    systemPrompt: text(agent['system_prompt']),
    runtime: text(agent['runtime']) ?? 'default',
    configuration: object(agent['configuration']),
    llmConfig: object(agent['llm_config']),
  };
}

function kindOf(wire: JsonObject): Lease['kind'] {
  for (const kind of ['team', 'workflow', 'agent'] as const) if (isJsonObject(wire[kind])) return kind;
  return 'none';
}

function readModel(wire: JsonObject, agent: JsonObject): string | null {
  const resolved = wire['model'];
  return (
    text(resolved) ??
    text(object(resolved)['value']) ??
    text(agent['model_id']) ??
    text(object(agent['llm_config'])['model'])
  );
}

function readTimeoutSeconds(wire: JsonObject, execution: JsonObject, agent: JsonObject): number {
  const owners = [
    object(wire['config']),
    object(execution['config']),
    object(object(execution['execution_metadata'])['config']),
  ];
  for (const owner of [...owners, object(agent['configuration'])]) {
    const seconds = number(owner['timeout_seconds']);
    if (seconds !== null && seconds > 0) return seconds;
  }
  return DEFAULT_TIMEOUT_SECONDS;
}

/** The resolved variables, and those of the execution environments for a control plane that does not resolve them. */
function readEnvironment(resolved: JsonObject, environments: readonly JsonObject[]): Record<string, string> {
  const variables = Object.assign(
    {},
    ...environments.map((environment) => object(environment['env_vars'])),
    resolved,
  ) as JsonObject;
  return Object.fromEntries(
    Object.entries(variables)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function leaseDuration(expiresAt: unknown, now: number): number {
  const expiry = Date.parse(text(expiresAt) ?? '');
  return Number.isFinite(expiry) && expiry > now ? expiry - now : DEFAULT_LEASE_MS;
}

function traceparentOf(wire: JsonObject, execution: JsonObject): string | undefined {
  return text(wire['traceparent']) ?? text(object(execution['execution_metadata'])['traceparent']) ?? undefined;
}

function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
