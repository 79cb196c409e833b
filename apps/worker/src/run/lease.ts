import { isJsonObject, type JsonObject } from '@app/kernel';
import { secretValues } from '../redaction/secrets.js';
import type { SkillSpec } from '../skills/skill.js';

/** The fields of a lease that the requests of its run contain. */
export interface LeaseRef {
  readonly executionId: string;
  /** Sent with every write of the run. */
  readonly token: string;
  /** W3C trace id shared by the run's requests and the request that triggered the execution. */
  readonly traceId: string;
  /** Whether spans of the run may be recorded: the sampled flag of its trace context. */
  readonly isMonitored: boolean;
}

export interface AgentSpec {
  readonly id: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly systemPrompt: string | null;
  readonly runtime: string;
  readonly configuration: JsonObject;
  readonly llmConfig: JsonObject;
}

/** What a runtime runs, with all its inputs except the prompt. */
export interface Subject {
  readonly kind: 'agent' | 'team' | 'workflow' | 'none';
  readonly agent: AgentSpec;
  /** The team, as the control plane sends it; `{}` for other kinds. */
  readonly team: JsonObject;
  readonly model: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** All skills, including those without tools. */
  readonly skills: readonly SkillSpec[];
  /** Texts of skills that are appended to the system prompt. */
  readonly instructions: readonly string[];
  /** Ids of the knowledge entries in the context. */
  readonly knowledgeIds: readonly string[];
  /** The working directory of tools, relative to the folder of the run; null: that folder itself. */
  readonly workingDir: string | null;
  /** Names of variables in `environment` whose values are redacted. */
  readonly secretNames: readonly string[];
  readonly mcpServers: JsonObject;
  /** By MCP server, the names of variables in `environment` that it must not receive. */
  readonly withheldVariables: Readonly<Record<string, readonly string[]>>;
}

/** How the conversation of a run is stored. */
export interface SessionSettings {
  /** The session whose earlier messages the run continues; null without one. */
  readonly id: string | null;
  readonly isStored: boolean;
  /** Whether the conversation is stored during the run; if false, only when the run ends. */
  readonly isSavedAsItGoes: boolean;
}

/** An agent or team that the model may choose. */
export interface Candidate {
  readonly entity_type: 'agent' | 'team';
  readonly entity_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly capabilities: readonly string[];
}

/** The right to run one execution, as returned by a poll, with all inputs of the runtime. */
export interface Lease extends LeaseRef, Subject {
  readonly attempt: number;
  /** Time after which the lease expires without a heartbeat, in milliseconds. */
  readonly durationMs: number;
  readonly prompt: string;
  readonly systemPrompt: string | null;
  readonly jobId: string | null;
  readonly session: SessionSettings;
  /** Further models of the run, as the control plane sends them, by the id or value that refers to them. */
  readonly models: JsonObject;
  /** The usage of earlier attempts and of an earlier part of this one; `{}` without any. */
  readonly usage: JsonObject;
  /** The usage of earlier attempts, which the control plane adds to the usage that this attempt reports. */
  readonly earlierUsage: JsonObject;
  /** Whether the execution has stored messages: of an earlier attempt, or sent by users. */
  readonly hasMessages: boolean;
  /** Maximum duration of the whole run, in milliseconds. */
  readonly timeoutMs: number;
  /** The workflow to run, as the control plane sends it; `{}` for other kinds. */
  readonly workflow: JsonObject;
  /** The agents and teams that the run may call. */
  readonly calls: readonly Subject[];
  /** The candidates among which the model chooses; null if the execution names its agent, team or workflow. */
  readonly candidates: readonly Candidate[] | null;
}

const DEFAULT_TIMEOUT_SECONDS = 3600;
const DEFAULT_LEASE_MS = 60_000;

/**
 * Reads a lease from a poll response. Returns `null` if the execution's id or the token is missing. Any other field
 * that is missing or of an unexpected type is treated as not given, so that the worker works with older and newer
 * control planes.
 */
export function readLease(value: unknown, now: number, newTraceId: (traceparent?: string) => string): Lease | null {
  const wire = object(value);
  const execution = object(wire['execution']);
  const executionId = text(execution['id']) ?? text(wire['execution_id']);
  const token = text(wire['lease_token']);
  if (executionId === null || token === null) return null;
  const agent = object(wire['agent']);
  return {
    executionId,
    token,
    traceId: newTraceId(traceparentOf(wire, execution)),
    attempt: number(wire['attempt']) ?? 1,
    durationMs: leaseDuration(wire['expires_at'], now),
    ...readSubject(wire, execution),
    prompt: text(execution['prompt']) ?? '',
    systemPrompt: text(execution['system_prompt']),
    jobId: text(execution['job_id']) ?? text(wire['job_id']),
    isMonitored: object(object(wire['team'])['configuration'])['monitoring'] !== false,
    models: object(wire['models']),
    usage: object(execution['usage']),
    earlierUsage: object(wire['earlier_usage']),
    session: readSession(wire, execution),
    hasMessages: text(execution['last_message_at']) !== null,
    timeoutMs: 1000 * readTimeoutSeconds(wire, execution, agent),
    workflow: object(wire['workflow']),
    calls: (Array.isArray(wire['calls']) ? wire['calls'] : []).map((call) => readSubject(object(call), {})),
    candidates: readCandidates(wire, execution),
  };
}

function readSubject(wire: JsonObject, execution: JsonObject): Subject {
  const agent = object(wire['agent']);
  const environments = [object(wire['team']), agent, execution].map((owner) => object(owner['execution_environment']));
  return {
    kind: kindOf(wire),
    agent: readAgent(agent),
    team: object(wire['team']),
    model: readModel(wire, agent),
    skills: readSkills(wire['skills']),
    instructions: readInstructions(wire['skills']),
    knowledgeIds: texts(object(wire['context'])['knowledge_uuids']),
    workingDir: environments.map((layer) => text(layer['working_dir'])).findLast((path) => path !== null) ?? null,
    ...readExecutionEnvironment(wire, environments),
  };
}

function readCandidates(wire: JsonObject, execution: JsonObject): Candidate[] | null {
  const { candidates } = wire;
  if (kindOf(wire) !== 'none' || text(execution['entity_id']) !== null || !Array.isArray(candidates)) return null;
  return candidates.map(object).flatMap((candidate) => {
    const [entity_id, name] = [text(candidate['entity_id']), text(candidate['name'])];
    const entity_type = (['agent', 'team'] as const).find((kind) => kind === candidate['entity_type']);
    if (entity_id === null || name === null || entity_type === undefined) return [];
    const description = text(candidate['description']);
    return [{ entity_type, entity_id, name, description, capabilities: texts(candidate['capabilities']) }];
  });
}

/**
 * The session of the start has precedence over that of the team. If the team names a user, its session is for that user
 * only.
 */
function readSession(wire: JsonObject, execution: JsonObject): SessionSettings {
  const session = object(object(object(wire['team'])['configuration'])['session']);
  const user = text(session['user_id']);
  const ofTeam = user === null || user === text(execution['user_id']) ? text(session['session_id']) : null;
  return {
    id: text(object(execution['config'])['session_id']) ?? ofTeam,
    isStored: session['persist'] !== false,
    isSavedAsItGoes: session['auto_save'] !== false,
  };
}

type ExecutionEnvironment = Pick<Subject, 'environment' | 'secretNames' | 'mcpServers' | 'withheldVariables'>;

/**
 * Reads the environment that the control plane merged; merges `layers` if the control plane does not merge MCP servers.
 */
function readExecutionEnvironment(wire: JsonObject, layers: readonly JsonObject[]): ExecutionEnvironment {
  const resolved = object(wire['environment']);
  const secretNames = [...new Set([wire, ...layers].flatMap((layer) => texts(layer['secrets'])))];
  const servers = wire['mcp_servers'];
  if (!isJsonObject(servers)) {
    const mcpServers = Object.assign({}, ...layers.map((layer) => object(layer['mcp_servers']))) as JsonObject;
    return { environment: readEnvironment(resolved, layers), secretNames, mcpServers, withheldVariables: {} };
  }
  const withheld = Object.entries(object(wire['withheld_variables']));
  return {
    environment: readEnvironment(resolved, []),
    secretNames,
    mcpServers: servers,
    withheldVariables: Object.fromEntries(withheld.map(([server, names]) => [server, texts(names)])),
  };
}

function readAgent(agent: JsonObject): AgentSpec {
  return {
    id: text(agent['id']),
    name: text(agent['name']),
    description: text(agent['description']),
    systemPrompt: text(agent['system_prompt']),
    runtime: text(agent['runtime']) ?? 'default',
    configuration: object(agent['configuration']),
    llmConfig: object(agent['llm_config']),
  };
}

function readSkills(skills: unknown): SkillSpec[] {
  return (Array.isArray(skills) ? skills : []).map(object).flatMap((skill) => {
    const [name, type] = [text(skill['name']), text(skill['type'])];
    return name === null || type === null ? [] : [{ name, type, configuration: object(skill['configuration']) }];
  });
}

/** Reads the instructions of skills of the type `custom`. */
function readInstructions(skills: unknown): string[] {
  const custom = (Array.isArray(skills) ? skills : []).map(object).filter((skill) => skill['type'] === 'custom');
  return custom.flatMap((skill) => text(object(skill['configuration'])['instructions']) ?? []);
}

function kindOf(wire: JsonObject): Subject['kind'] {
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
    wire,
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

/**
 * Merges the variables of the execution environments, for a control plane that does not resolve them, with the resolved
 * ones.
 */
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

/** Returns the values that the outputs of the run must not contain. */
export function secretsOf(lease: Lease): string[] {
  return [lease, ...lease.calls].flatMap((one) => secretValues(one.environment, one.secretNames));
}
