import { discoverProviders } from '@app/discovery';
import { entityKeyOf, type EntityRef, type Scope } from '@app/kernel';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { EXECUTION_TYPES, type ExecutionType } from '../executions/execution.types.js';
import type { EnvironmentLayer } from '../executions/requested-environment.js';
import { byRank } from './run-candidate.js';
import {
  runnableNotFound,
  RunnableSource,
  type AssembledRunnable,
  type CandidateQuery,
  type DefinedRef,
  type RunCandidate,
  type Runnable,
  type RunnableRef,
} from './runnable-source.js';

/** Kinds for which a process may have no source. */
const OPTIONAL_KINDS: readonly ExecutionType[] = ['workflow'];

/**
 * Registry of the sources, collected from the application's providers. The application does not start if a kind has two
 * sources, or if a required kind has none, because its runnables would be treated as deleted.
 *
 * Look-ups for a kind without a source find nothing.
 */
@Injectable()
export class RunnableSources implements OnModuleInit {
  private readonly byKind = new Map<ExecutionType, RunnableSource>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const source of discoverProviders(this.discovery, RunnableSource)) this.register(source);
    const missing = EXECUTION_TYPES.filter((kind) => !this.byKind.has(kind) && !OPTIONAL_KINDS.includes(kind));
    if (missing.length > 0) throw new Error(`Kinds of runnables without a source: ${missing.join(', ')}`);
  }

  has(kind: ExecutionType): boolean {
    return this.byKind.has(kind);
  }

  takesParameters(kind: ExecutionType): boolean {
    return this.byKind.get(kind)?.takesParameters ?? false;
  }

  /** Returns the kinds with a source. */
  kinds(): readonly ExecutionType[] {
    return [...this.byKind.keys()];
  }

  async find(scope: Scope, { kind, id }: RunnableRef): Promise<Runnable | undefined> {
    return this.byKind.get(kind)?.find(scope, id);
  }

  /** Returns undefined if the entity does not exist, or if its type is not a kind of runnables. */
  async findEntity(scope: Scope, { entity_type, entity_id: id }: EntityRef): Promise<Runnable | undefined> {
    const kind = this.kinds().find((one) => one === entity_type);
    return kind === undefined ? undefined : this.find(scope, { kind, id });
  }

  /** Returns the runnables that exist, by `entityKeyOf` of their kind and id. */
  async findByRefs(scope: Scope, refs: readonly RunnableRef[]): Promise<ReadonlyMap<string, Runnable>> {
    const found = [...this.byKind.values()].map(async (source) => {
      const ids = new Set(refs.filter(({ kind }) => kind === source.kind).map(({ id }) => id));
      return ids.size === 0 ? [] : source.findByIds(scope, [...ids]);
    });
    const runnables = (await Promise.all(found)).flat();
    return new Map(runnables.map((one) => [entityKeyOf({ entity_type: one.kind, entity_id: one.id }), one]));
  }

  /** Throws `not_found`, see `runnableNotFound`. */
  async read(scope: Scope, ref: RunnableRef): Promise<Runnable> {
    const runnable = await this.find(scope, ref);
    if (runnable === undefined) throw runnableNotFound(ref.kind);
    return runnable;
  }

  /** Returns the names of the runnables that exist, by kind and id. Runs at most one statement per kind. */
  async namesOf(
    scope: Scope,
    refs: readonly RunnableRef[],
  ): Promise<ReadonlyMap<ExecutionType, ReadonlyMap<string, string>>> {
    const names = [...this.byKind.values()].map(async (source) => {
      const ids = new Set(refs.filter(({ kind }) => kind === source.kind).map(({ id }) => id));
      return [source.kind, await source.namesOf(scope, [...ids])] as const;
    });
    return new Map(await Promise.all(names));
  }

  /** Returns the ids for each id or name, by kind, as `RunnableSource.idsNamed` does. */
  async idsNamed(
    scope: Scope,
    named: readonly { readonly kind: ExecutionType; readonly idOrName: string }[],
  ): Promise<ReadonlyMap<ExecutionType, ReadonlyMap<string, readonly string[]>>> {
    const ids = [...this.byKind.values()].map(async (source) => {
      const words = new Set(named.filter(({ kind }) => kind === source.kind).map(({ idOrName }) => idOrName));
      return [source.kind, words.size === 0 ? new Map() : await source.idsNamed(scope, [...words])] as const;
    });
    return new Map(await Promise.all(ids));
  }

  /** Returns the existing runnables that runs of the given one may call; none if it does not exist itself. */
  async membersOf(scope: Scope, { kind, id, definition, callable }: DefinedRef): Promise<readonly Runnable[]> {
    const members = (await this.byKind.get(kind)?.membersOf(scope, id, definition)) ?? [];
    return callable == null ? members : members.filter((member) => callable.includes(member.id));
  }

  async assemble(scope: Scope, { kind, id, definition }: DefinedRef): Promise<AssembledRunnable | undefined> {
    return this.byKind.get(kind)?.assemble(scope, id, definition);
  }

  /** Returns the existing runnables of which the given one is a member and from which it inherits. */
  async ownersOf(scope: Scope, runnable: AssembledRunnable): Promise<readonly AssembledRunnable[]> {
    const owners = await Promise.all(runnable.memberOf.map((ref) => this.assemble(scope, ref)));
    return owners.filter((owner) => owner !== undefined);
  }

  /**
   * Returns the execution environments that a run of the runnable inherits, its own last; none if it does not exist.
   */
  async environmentLayersOf(scope: Scope, ref: RunnableRef): Promise<readonly EnvironmentLayer[]> {
    const runnable = await this.assemble(scope, ref);
    if (runnable === undefined) return [];
    const layers = [...(await this.ownersOf(scope, runnable)), runnable];
    return layers.map(({ kind, id, execution_environment: environment }) => ({
      name: `the ${kind} ${id}`,
      environment,
    }));
  }

  /**
   * Returns the runnables of all kinds that a worker may choose, the best matches first, up to the limit of the query.
   */
  async candidates(scope: Scope, query: CandidateQuery): Promise<readonly RunCandidate[]> {
    const found = await Promise.all([...this.byKind.values()].map((source) => source.candidates(scope, query)));
    return found.flat().toSorted(byRank).slice(0, query.limit);
  }

  async recordRun(scope: Scope, runnable: Runnable): Promise<void> {
    await this.byKind.get(runnable.kind)?.recordRun(scope, runnable);
  }

  /** Returns the kinds whose runnables can have members. */
  kindsWithMembers(): readonly ExecutionType[] {
    return [...new Set([...this.byKind.values()].flatMap(({ memberOfKinds }) => memberOfKinds))];
  }

  /** Returns the kinds of the members of a runnable of this kind. */
  memberKindsOf(kind: ExecutionType): readonly ExecutionType[] {
    return this.byKind.get(kind)?.memberKinds ?? [];
  }

  private register(source: RunnableSource): void {
    if (this.byKind.has(source.kind)) throw new Error(`The kind ${source.kind} has two sources`);
    this.byKind.set(source.kind, source);
  }
}
