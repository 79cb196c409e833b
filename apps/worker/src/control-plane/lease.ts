import { isJsonObject, type JsonObject } from '@app/kernel';
import { traceContextFrom, type TraceContext } from '@app/observability';
import { readNumber, readObject, readText, readTexts } from '../json-fields.js';
import { secretValues } from '../redaction/secrets.js';
import type { SkillSpec } from '../skills/skill.js';

/** The fields of a lease that the requests of its run contain. */
export interface LeaseRef {
  readonly executionId: string;
  /** Sent with every write of the run. Null after the end of the execution, which ended the lease. */
  readonly token: string | null;
  /** The trace that the execution belongs to; its span is that of the lease. */
  readonly trace: TraceContext;
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
  readonly token: string;
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
export function readLease(value: unknown, now: number): Lease | null {
  const wire = readObject(value);
  const execution = readObject(wire['execution']);
  const executionId = readText(execution['id']) ?? readText(wire['execution_id']);
  const token = readText(wire['lease_token']);
  if (executionId === null || token === null) return null;
  const agent = readObject(wire['agent']);
  return {
    executionId,
    token,
    trace: readTrace(wire, execution),
    attempt: readNumber(wire['attempt']) ?? 1,
    durationMs: leaseDuration(wire['expires_at'], now),
    ...readSubject(wire, execution),
    prompt: readText(execution['prompt']) ?? '',
    systemPrompt: readText(execution['system_prompt']),
    jobId: readText(execution['job_id']) ?? readText(wire['job_id']),
    isMonitored: readObject(readObject(wire['team'])['configuration'])['monitoring'] !== false,
    models: readObject(wire['models']),
    usage: readObject(execution['usage']),
    earlierUsage: readObject(wire['earlier_usage']),
    session: readSession(wire, execution),
    hasMessages: readText(execution['last_message_at']) !== null,
    timeoutMs: 1000 * readTimeoutSeconds(wire, execution, agent),
    workflow: readObject(wire['workflow']),
    calls: (Array.isArray(wire['calls']) ? wire['calls'] : []).map((call) => readSubject(readObject(call), {})),
    candidates: readCandidates(wire, execution),
  };
}

function readSubject(wire: JsonObject, execution: JsonObject): Subject {
  const agent = readObject(wire['agent']);
  const environments = [readObject(wire['team']), agent, execution].map((owner) =>
    readObject(owner['execution_environment']),
  );
  return {
    kind: kindOf(wire),
    agent: readAgent(agent),
    team: readObject(wire['team']),
    model: readModel(wire, agent),
    skills: readSkills(wire['skills']),
    instructions: readInstructions(wire['skills']),
    knowledgeIds: readTexts(readObject(wire['context'])['knowledge_uuids']),
    workingDir: environments.map((layer) => readText(layer['working_dir'])).findLast((path) => path !== null) ?? null,
    ...readExecutionEnvironment(wire, environments),
  };
}

function readCandidates(wire: JsonObject, execution: JsonObject): Candidate[] | null {
  const { candidates } = wire;
  if (kindOf(wire) !== 'none' || readText(execution['entity_id']) !== null || !Array.isArray(candidates)) return null;
  return candidates.map(readObject).flatMap((candidate) => {
    const [entity_id, name] = [readText(candidate['entity_id']), readText(candidate['name'])];
    const entity_type = (['agent', 'team'] as const).find((kind) => kind === candidate['entity_type']);
    if (entity_id === null || name === null || entity_type === undefined) return [];
    const description = readText(candidate['description']);
    return [{ entity_type, entity_id, name, description, capabilities: readTexts(candidate['capabilities']) }];
  });
}

/**
 * The session of the start has precedence over that of the team. If the team names a user, its session is for that user
 * only.
 */
function readSession(wire: JsonObject, execution: JsonObject): SessionSettings {
  const session = readObject(readObject(readObject(wire['team'])['configuration'])['session']);
  const user = readText(session['user_id']);
  const ofTeam = user === null || user === readText(execution['user_id']) ? readText(session['session_id']) : null;
  return {
    id: readText(readObject(execution['config'])['session_id']) ?? ofTeam,
    isStored: session['persist'] !== false,
    isSavedAsItGoes: session['auto_save'] !== false,
  };
}

type ExecutionEnvironment = Pick<Subject, 'environment' | 'secretNames' | 'mcpServers' | 'withheldVariables'>;

/**
 * Reads the environment that the control plane merged; merges `layers` if the control plane does not merge MCP servers.
 */
function readExecutionEnvironment(wire: JsonObject, layers: readonly JsonObject[]): ExecutionEnvironment {
  const resolved = readObject(wire['environment']);
  const secretNames = [...new Set([wire, ...layers].flatMap((layer) => readTexts(layer['secrets'])))];
  const servers = wire['mcp_servers'];
  if (!isJsonObject(servers)) {
    const mcpServers = Object.assign({}, ...layers.map((layer) => readObject(layer['mcp_servers']))) as JsonObject;
    return { environment: readEnvironment(resolved, layers), secretNames, mcpServers, withheldVariables: {} };
  }
  const withheld = Object.entries(readObject(wire['withheld_variables']));
  return {
    environment: readEnvironment(resolved, []),
    secretNames,
    mcpServers: servers,
    withheldVariables: Object.fromEntries(withheld.map(([server, names]) => [server, readTexts(names)])),
  };
}

function readAgent(agent: JsonObject): AgentSpec {
  return {
    id: readText(agent['id']),
    name: readText(agent['name']),
    description: readText(agent['description']),
    systemPrompt: readText(agent['system_prompt']),
    runtime: readText(agent['runtime']) ?? 'default',
    configuration: readObject(agent['configuration']),
    llmConfig: readObject(agent['llm_config']),
  };
}

function readSkills(skills: unknown): SkillSpec[] {
  return (Array.isArray(skills) ? skills : []).map(readObject).flatMap((skill) => {
    const [name, type] = [readText(skill['name']), readText(skill['type'])];
    return name === null || type === null ? [] : [{ name, type, configuration: readObject(skill['configuration']) }];
  });
}

/** Reads the instructions of skills of the type `custom`. */
function readInstructions(skills: unknown): string[] {
  const custom = (Array.isArray(skills) ? skills : []).map(readObject).filter((skill) => skill['type'] === 'custom');
  return custom.flatMap((skill) => readText(readObject(skill['configuration'])['instructions']) ?? []);
}

function kindOf(wire: JsonObject): Subject['kind'] {
  for (const kind of ['team', 'workflow', 'agent'] as const) if (isJsonObject(wire[kind])) return kind;
  return 'none';
}

function readModel(wire: JsonObject, agent: JsonObject): string | null {
  const resolved = wire['model'];
  return (
    readText(resolved) ??
    readText(readObject(resolved)['value']) ??
    readText(agent['model_id']) ??
    readText(readObject(agent['llm_config'])['model'])
  );
}

function readTimeoutSeconds(wire: JsonObject, execution: JsonObject, agent: JsonObject): number {
  const owners = [
    wire,
    readObject(wire['config']),
    readObject(execution['config']),
    readObject(readObject(execution['execution_metadata'])['config']),
  ];
  for (const owner of [...owners, readObject(agent['configuration'])]) {
    const seconds = readNumber(owner['timeout_seconds']);
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
    ...environments.map((environment) => readObject(environment['env_vars'])),
    resolved,
  ) as JsonObject;
  return Object.fromEntries(
    Object.entries(variables)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function leaseDuration(expiresAt: unknown, now: number): number {
  const expiry = Date.parse(readText(expiresAt) ?? '');
  return Number.isFinite(expiry) && expiry > now ? expiry - now : DEFAULT_LEASE_MS;
}

function readTrace(wire: JsonObject, execution: JsonObject): TraceContext {
  const traceparent =
    readText(wire['traceparent']) ?? readText(readObject(execution['execution_metadata'])['traceparent']);
  return traceContextFrom(traceparent, readText(wire['tracestate']));
}

/** Returns the values that the outputs of the run must not contain. */
export function secretsOf(lease: Lease): string[] {
  return [lease, ...lease.calls].flatMap((one) => secretValues(one.environment, one.secretNames));
}
