import { EntityResolver } from '@app/database';
import { notFound, type ChangedBy, type DomainError, type JsonObject, type Scope } from '@app/kernel';
import type { ExecutionType } from '../executions/execution.types.js';
import type { RunnableSession } from '../session-turns/turn.types.js';
import type { RunDefinition } from './run-definition.js';

/** The runtime of agents and teams that name none. */
export const DEFAULT_RUNTIME = 'default';

export interface RunnableRef {
  readonly kind: ExecutionType;
  readonly id: string;
}

/** The last change of a runnable. */
export interface RunnableChange extends RunnableRef, ChangedBy {
  readonly at: Date;
}

/** The fields of a runnable (an agent, a team, a workflow) that are needed to start a run of it. */
export interface Runnable extends RunnableRef {
  readonly name: string;
  /** Ids or names of its environments, preferred ones first. May contain deleted environments. */
  readonly environmentIds: readonly string[];
  /** The runnables of which it is a member, and whose policies it inherits. May contain deleted runnables. */
  readonly memberOf: readonly RunnableRef[];
  /** When `recordRun` last stored a run; null before the first, and for kinds that do not record runs. */
  readonly lastActiveAt: Date | null;
  /** The last change of it, followed by those of the runnables that its next run may call. */
  readonly changes: readonly RunnableChange[];
  /** The definition that its next run follows; absent for kinds whose runs follow no steps. */
  readonly definition?: RunDefinition;
  /** Ids of the runnables that its next run may call, directly or indirectly; absent for kinds without members. */
  readonly callable?: readonly string[];
  /** Id of the runtime that runs it; absent for kinds that every worker runs. */
  readonly runtime?: string;
  /** Ids of the runtimes of the runnables that its next run may call; absent for kinds without members. */
  readonly calledRuntimes?: readonly string[];
  /** The session that its runs continue; absent: none. */
  readonly session?: RunnableSession | undefined;
  /** Names of the parameters that its texts use; absent for kinds without parameters. */
  readonly usedParameters?: readonly string[];
}

/**
 * The fields of a runnable that its run needs, read when the run is leased. A source adds the other fields of its row.
 */
export interface AssembledRunnable extends RunnableRef {
  /** Id or value of its model; null if it has none. */
  readonly model: string | null;
  /** Id of the runtime that runs it; absent for kinds that every worker runs. */
  readonly runtime?: string;
  /** Time limit of its runs in milliseconds, unless their start sets one; null: the default. */
  readonly timeoutMs: number | null;
  /** Its variables override those of the runnables in `memberOf`. */
  readonly execution_environment: JsonObject;
  readonly memberOf: readonly RunnableRef[];
  /** Ids of knowledge entries that it adds to the context of its runs. May contain deleted entries. */
  readonly knowledge_uuids?: readonly string[];
  /** Ids or values of further models that its runs use. */
  readonly furtherModels?: readonly string[];
}

/**
 * A runnable with the definition and the members that were fixed at the start of a run. If they are absent, the current
 * ones apply.
 */
export interface DefinedRef extends RunnableRef {
  readonly definition?: RunDefinition | null;
  readonly callable?: readonly string[] | null;
}

/** A runnable that a worker may choose for an execution without an entity. */
export interface RunCandidate extends RunnableRef {
  readonly name: string;
  /** Its first 1,000 characters. */
  readonly description: string | null;
  /** At most 20. */
  readonly capabilities: readonly string[];
  /** How well the runnable matches the words of the query; 0: not at all. */
  readonly rank: number;
  /** Time of its last run; if there was none, of its last change. */
  readonly used_at: Date;
}

/** Selects the runnables that a worker may choose. */
export interface CandidateQuery {
  /**
   * Id and name of the environment that would run the candidate. A runnable that names environments is a candidate only
   * if this is one of them.
   */
  readonly environment: readonly string[];
  /** Runnables that must not run there. Their members must not run there either. */
  readonly excluded: readonly RunnableRef[];
  /** Ids of the runtimes of the worker that would run it; null: unknown, it may have any. */
  readonly runtimes: readonly string[] | null;
  /** Words to match, for `to_tsquery`; empty: nothing matches. */
  readonly words: string;
  /** The only runnable to consider; absent: all. */
  readonly only?: RunnableRef;
  readonly limit: number;
}

/**
 * Access to one kind of runnable. The domain that owns the kind provides one source, which `RunnableSources` registers.
 * Jobs, policies and runs use the registry and depend on no kind.
 */
export abstract class RunnableSource extends EntityResolver {
  abstract override readonly kind: ExecutionType;

  /** The kinds that may occur in `memberOf` of this kind. */
  abstract readonly memberOfKinds: readonly ExecutionType[];

  /** The kinds that `membersOf` may return. */
  readonly memberKinds: readonly ExecutionType[] = [];

  /** Whether runs that are not runs of a job have parameters besides the prompt. */
  readonly takesParameters: boolean = false;

  /**
   * Returns undefined if the organization has no runnable of this kind with this id. Part of every start: use as few
   * statements as possible.
   */
  abstract find(scope: Scope, id: string): Promise<Runnable | undefined>;

  /** Returns the runnables that exist, in any order. A kind that can be a member overrides this with few statements. */
  async findByIds(scope: Scope, ids: readonly string[]): Promise<readonly Runnable[]> {
    const found = await Promise.all(ids.map((id) => this.find(scope, id)));
    return found.filter((runnable) => runnable !== undefined);
  }

  /** Returns the names of the runnables that exist, by id. Runs at most one statement. */
  abstract override namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** Names of runnables are not unique, so only ids are accepted. */
  override async resolveId(scope: Scope, id: string): Promise<string> {
    const runnable = await this.find(scope, id);
    if (runnable === undefined) throw runnableNotFound(this.kind);
    return runnable.id;
  }

  /**
   * Returns, for each id or name, the ids of the runnables to which it refers: the one with this id, otherwise at most
   * two with this name. Runs at most one statement.
   */
  abstract idsNamed(scope: Scope, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;

  /** Returns undefined if the runnable, or the definition that its run follows, was deleted. */
  abstract assemble(
    scope: Scope,
    id: string,
    definition?: RunDefinition | null,
  ): Promise<AssembledRunnable | undefined>;

  /**
   * Like `assemble` for several runnables with their current definitions; returns those that exist, in any order. A
   * kind that can have owners or be a member overrides this with one statement.
   */
  async assembleByIds(scope: Scope, ids: readonly string[]): Promise<readonly AssembledRunnable[]> {
    const found = await Promise.all(ids.map((id) => this.assemble(scope, id)));
    return found.filter((runnable) => runnable !== undefined);
  }

  /**
   * Returns the existing runnables that runs of this one may call, directly or indirectly, each once and in a fixed
   * order. None by default.
   */
  async membersOf(_scope: Scope, _id: string, _definition?: RunDefinition | null): Promise<readonly Runnable[]> {
    return [];
  }

  /**
   * Returns the runnables that a worker may choose, the best matches first, up to the limit of the query. None by
   * default.
   */
  async candidates(_scope: Scope, _query: CandidateQuery): Promise<readonly RunCandidate[]> {
    return [];
  }

  /** Returns up to `limit` ids of runnables in their order, those after `after`. None by default. */
  async idsAfter(_scope: Scope, _after: string, _limit: number): Promise<readonly string[]> {
    return [];
  }

  /** Called after a run of the runnable started. Does nothing by default. */
  async recordRun(_scope: Scope, _runnable: Runnable): Promise<void> {}
}

/** Names the kind in the code and the message: `agent_not_found`, "Agent not found". */
export function runnableNotFound(kind: ExecutionType): DomainError {
  return notFound(`${kind}_not_found`, kind.charAt(0).toUpperCase() + kind.slice(1));
}
