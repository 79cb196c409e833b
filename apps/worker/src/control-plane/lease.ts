import type { ControlPlaneComponents } from '@app/api-client';
import { isJsonObject, type JsonObject } from '@app/kernel';
import { traceContextFrom, type TraceContext } from '@app/observability';
import { readFields, readNumber, readObject, readObjects, readText, readTexts, type Fields } from '../json-fields.js';
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

type Schemas = ControlPlaneComponents['schemas'];
type WireLease = Fields<Schemas['LeaseResponse']>;
type WireExecution = Fields<Schemas['LeasedExecutionResponse']>;
type WireAgent = Fields<Schemas['AgentResponse']>;
type WireTeam = Fields<Schemas['TeamResponse']>;
/** What a lease and each of its `calls` contain of the agent or team to run. */
type WireSubject = Fields<Schemas['LeaseCallResponse']> & Pick<WireLease, 'workflow'>;

const DEFAULT_TIMEOUT_SECONDS = 3600;
const DEFAULT_LEASE_MS = 60_000;

/**
 * Reads a lease from a poll response. Returns `null` if the execution's id or the token is missing. Any other field
 * that is missing or of an unexpected type is treated as not given, so that the worker works with older and newer
 * control planes.
 */
export function readLease(value: unknown, now: number): Lease | null {
  const wire: WireLease = readFields(value);
  const execution: WireExecution = readFields(wire.execution);
  const executionId = readText(execution.id);
  const token = readText(wire.lease_token);
  if (executionId === null || token === null) return null;
  return {
    executionId,
    token,
    trace: traceContextFrom(readText(wire.traceparent), readText(wire.tracestate)),
    attempt: readNumber(wire.attempt) ?? 1,
    durationMs: leaseDuration(wire.expires_at, now),
    ...readSubject(wire, execution),
    prompt: readText(execution.prompt) ?? '',
    systemPrompt: readText(execution.system_prompt),
    jobId: readText(execution.job_id),
    isMonitored: teamSettings(wire)['monitoring'] !== false,
    models: readObject(wire.models),
    usage: readObject(execution.usage),
    earlierUsage: readObject(wire.earlier_usage),
    session: readSession(wire, execution),
    hasMessages: readText(execution.last_message_at) !== null,
    timeoutMs: 1000 * readTimeoutSeconds(wire),
    workflow: readObject(wire.workflow),
    calls: readObjects(wire.calls).map((call) => readSubject(call, {})),
    candidates: readCandidates(wire, execution),
  };
}

function readSubject(wire: WireSubject, execution: WireExecution): Subject {
  const agent: WireAgent = readFields(wire.agent);
  const team: WireTeam = readFields(wire.team);
  const workingDirs = [team, agent, execution].map((owner) =>
    readText(readObject(owner.execution_environment)['working_dir']),
  );
  const withheld = Object.entries(readObject(wire.withheld_variables));
  return {
    kind: kindOf(wire),
    agent: readAgent(agent),
    team: readObject(wire.team),
    model: readText(readFields<Schemas['LeaseModelResponse']>(wire.model).value) ?? readText(agent.model_id),
    skills: readSkills(wire.skills),
    instructions: readInstructions(wire.skills),
    knowledgeIds: readTexts(readFields<Schemas['LeaseContextResponse']>(wire.context).knowledge_uuids),
    workingDir: workingDirs.findLast((path) => path !== null) ?? null,
    environment: readEnvironment(wire.environment),
    secretNames: readTexts(wire.secrets),
    mcpServers: readObject(wire.mcp_servers),
    withheldVariables: Object.fromEntries(withheld.map(([server, names]) => [server, readTexts(names)])),
  };
}

function readCandidates(wire: WireLease, execution: WireExecution): Candidate[] | null {
  const { candidates } = wire;
  if (kindOf(wire) !== 'none' || readText(execution.entity_id) !== null || !Array.isArray(candidates)) return null;
  return candidates.flatMap((value: unknown) => {
    const candidate = readFields<Schemas['LeaseCandidateResponse']>(value);
    const [entity_id, name] = [readText(candidate.entity_id), readText(candidate.name)];
    const entity_type = (['agent', 'team'] as const).find((kind) => kind === candidate.entity_type);
    if (entity_id === null || name === null || entity_type === undefined) return [];
    const description = readText(candidate.description);
    return [{ entity_type, entity_id, name, description, capabilities: readTexts(candidate.capabilities) }];
  });
}

/** What users chose for the team, of which the control plane knows no more than that it is an object. */
function teamSettings(wire: WireLease): JsonObject {
  return readObject(readFields<Schemas['TeamResponse']>(wire.team).configuration);
}

/**
 * The session of the start has precedence over that of the team. If the team names a user, its session is for that user
 * only.
 */
function readSession(wire: WireLease, execution: WireExecution): SessionSettings {
  const session = readObject(teamSettings(wire)['session']);
  const user = readText(session['user_id']);
  const ofTeam = user === null || user === readText(execution.user_id) ? readText(session['session_id']) : null;
  return {
    id: readText(readObject(execution.config)['session_id']) ?? ofTeam,
    isStored: session['persist'] !== false,
    isSavedAsItGoes: session['auto_save'] !== false,
  };
}

function readAgent(agent: WireAgent): AgentSpec {
  return {
    id: readText(agent.id),
    name: readText(agent.name),
    description: readText(agent.description),
    systemPrompt: readText(agent.system_prompt),
    runtime: readText(agent.runtime) ?? 'default',
    configuration: readObject(agent.configuration),
    llmConfig: readObject(agent.llm_config),
  };
}

function readSkills(skills: unknown): SkillSpec[] {
  return readObjects(skills).flatMap((value) => {
    const skill = readFields<Schemas['ResolvedSkillResponse']>(value);
    const [name, type] = [readText(skill.name), readText(skill.type)];
    return name === null || type === null ? [] : [{ name, type, configuration: readObject(skill.configuration) }];
  });
}

/** Reads the instructions of skills of the type `custom`. */
function readInstructions(skills: unknown): string[] {
  const custom = readSkills(skills).filter(({ type }) => type === 'custom');
  return custom.flatMap(({ configuration }) => readText(configuration['instructions']) ?? []);
}

function kindOf(wire: WireSubject): Subject['kind'] {
  for (const kind of ['team', 'workflow', 'agent'] as const) if (isJsonObject(wire[kind])) return kind;
  return 'none';
}

function readTimeoutSeconds({ timeout_seconds }: WireLease): number {
  const seconds = readNumber(timeout_seconds);
  return seconds !== null && seconds > 0 ? seconds : DEFAULT_TIMEOUT_SECONDS;
}

function readEnvironment(environment: unknown): Record<string, string> {
  const variables = Object.entries(readObject(environment)).filter(([, value]) => value !== null);
  return Object.fromEntries(
    variables.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function leaseDuration(expiresAt: unknown, now: number): number {
  const expiry = Date.parse(readText(expiresAt) ?? '');
  return Number.isFinite(expiry) && expiry > now ? expiry - now : DEFAULT_LEASE_MS;
}

/** Returns the values that the outputs of the run must not contain. */
export function secretsOf(lease: Lease): string[] {
  return [lease, ...lease.calls].flatMap((one) => secretValues(one.environment, one.secretNames));
}
