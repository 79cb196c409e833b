import { Database } from '@app/database';
import {
  DEFAULT_RUNTIME,
  RunnableSource,
  timeoutMsOf,
  type AssembledRunnable,
  type CandidateQuery,
  type RunCandidate,
  type Runnable,
  type RunnableRef,
} from '@app/executions';
import { changedBy, Clock, type Caller, type JsonObject, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { agentNotFound } from './agent.errors.js';
import { AgentRepository } from './agent.repository.js';
import { teamOf, toRunnable } from './runnable-agent.js';
import type { Agent } from './agent.types.js';

/** The runs of one agent update its row at most once per interval, because each update waits for the row's lock. */
const ACTIVITY_INTERVAL_MS = 1000;
const MAX_CACHED_AGENTS = 10_000;

/** The data of an agent that a run needs. */
export class AssembledAgent implements AssembledRunnable {
  readonly kind = 'agent';
  readonly id: string;
  readonly model: string | null;
  readonly runtime: string;
  readonly timeoutMs: number | null;
  readonly execution_environment: JsonObject;
  readonly memberOf: readonly RunnableRef[];

  constructor(readonly agent: Agent) {
    this.id = agent.id;
    this.model = agent.model_id ?? modelIn(agent.llm_config);
    this.runtime = agent.runtime || DEFAULT_RUNTIME;
    this.timeoutMs = timeoutMsOf(agent.configuration);
    this.execution_environment = agent.execution_environment;
    this.memberOf = teamOf(agent);
  }
}

@Injectable()
export class AgentSource extends RunnableSource {
  override readonly kind = 'agent';
  override readonly memberOfKinds = ['team'] as const;
  /**
   * Time of the last run that this process recorded, by agent. The row is not enough: runs that start together read the
   * same older time from it.
   */
  private readonly recordedAt = new LRUCache<string, number>({ max: MAX_CACHED_AGENTS });

  constructor(
    private readonly agents: AgentRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async find(scope: Scope, id: string): Promise<Runnable | undefined> {
    const agent = await this.agents.findRunnable(scope, id);
    return agent === undefined ? undefined : toRunnable(agent);
  }

  override async findByIds(scope: Scope, ids: readonly string[]): Promise<readonly Runnable[]> {
    if (ids.length < 2) return super.findByIds(scope, ids);
    return (await this.agents.findRunnables(scope, ids)).map(toRunnable);
  }

  override async namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const named = ids.length === 0 ? [] : await this.agents.namesOf(scope, ids);
    return new Map(named.map(({ id, name }) => [id, name]));
  }

  override async markUpdated(caller: Caller, id: string): Promise<string> {
    const changes = { ...changedBy(caller), updated_at: this.clock.now() };
    if ((await this.agents.update(caller, id, changes)) === undefined) throw agentNotFound();
    return id;
  }

  override async idsAfter(scope: Scope, after: string, limit: number): Promise<readonly string[]> {
    return this.agents.idsAfter(scope, after, limit);
  }

  override async idsNamed(scope: Scope, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.agents.idsNamed(scope, words);
  }

  override async assemble(scope: Scope, id: string): Promise<AssembledAgent | undefined> {
    const agent = await this.agents.find(scope, id);
    return agent === undefined ? undefined : new AssembledAgent(agent);
  }

  /** A single agent is always returned, however large it is. */
  override async assembleByIds(scope: Scope, ids: readonly string[]): Promise<readonly AssembledRunnable[]> {
    if (ids.length < 2) return super.assembleByIds(scope, ids);
    return (await this.agents.findAll(scope, ids)).map((agent) => new AssembledAgent(agent));
  }

  /** Paused and stopped agents are not candidates. */
  override async candidates(scope: Scope, query: CandidateQuery): Promise<readonly RunCandidate[]> {
    if (query.only !== undefined && query.only.kind !== this.kind) return [];
    const found = await this.agents.findCandidates(scope, query);
    return found.map((agent) => ({ ...agent, kind: this.kind }));
  }

  /**
   * Sets `last_active_at` after the current transaction, unless it was set within the last second. A start that is
   * rolled back does not set it, and does not prevent its repetition from setting it. The row is not locked while the
   * transaction runs.
   */
  override async recordRun(scope: Scope, { id, lastActiveAt }: Runnable): Promise<void> {
    await this.database.committed(async () => {
      const now = this.clock.now();
      const last = Math.max(lastActiveAt?.getTime() ?? 0, this.recordedAt.get(id) ?? 0);
      if (now.getTime() - last < ACTIVITY_INTERVAL_MS) return;
      this.recordedAt.set(id, now.getTime());
      await this.agents.recordActivity(scope, id, now);
    });
  }
}

/** Returns the id or value of the model that LLM settings name; null if they name none. */
export function modelIn({ model }: JsonObject): string | null {
  return typeof model === 'string' && model !== '' ? model : null;
}
