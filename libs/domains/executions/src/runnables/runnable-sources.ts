import { readInHalves } from '@app/database';
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

  /**
   * Returns the runnables that exist, by `entityKeyOf` of their kind and id: grouped by kind, those of a kind in the
   * order of `refs`. The number of statements does not depend on the number of `refs`.
   */
  async findByRefs(scope: Scope, refs: readonly RunnableRef[]): Promise<ReadonlyMap<string, Runnable>> {
    return this.byRefs(refs, (source, ids) => source.findByIds(scope, ids));
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

  /** Returns up to `limit` ids of runnables of a kind in their order, those after `after`; none for kinds without a list. */
  async idsAfter(scope: Scope, kind: ExecutionType, after: string, limit: number): Promise<readonly string[]> {
    return (await this.byKind.get(kind)?.idsAfter(scope, after, limit)) ?? [];
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

  /** Like `findByRefs`, with the fields that a run needs and the current definitions. */
  async assembleByRefs(scope: Scope, refs: readonly RunnableRef[]): Promise<ReadonlyMap<string, AssembledRunnable>> {
    return this.byRefs(refs, (source, all) => readInHalves(all, (ids) => source.assembleByIds(scope, ids)));
  }

  /**
   * Returns the execution environments that a run of the runnable inherits, its own last; none if it does not exist.
   */
  async environmentLayersOf(scope: Scope, ref: RunnableRef): Promise<readonly EnvironmentLayer[]> {
    const runnable = await this.assemble(scope, ref);
    if (runnable === undefined) return [];
    const owners = await this.assembleByRefs(scope, runnable.memberOf);
    const layers = [...owners.values(), runnable];
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

  private async byRefs<Found extends RunnableRef>(
    refs: readonly RunnableRef[],
    read: (source: RunnableSource, ids: readonly string[]) => Promise<readonly Found[]>,
  ): Promise<ReadonlyMap<string, Found>> {
    const reads = [...this.byKind.values()].map(async (source) => {
      const ids = [...new Set(refs.filter(({ kind }) => kind === source.kind).map(({ id }) => id))];
      const found = new Map((ids.length === 0 ? [] : await read(source, ids)).map((one) => [one.id, one]));
      return ids.flatMap((id) => found.get(id) ?? []);
    });
    const found = (await Promise.all(reads)).flat();
    return new Map(found.map((one) => [entityKeyOf({ entity_type: one.kind, entity_id: one.id }), one]));
  }

  private register(source: RunnableSource): void {
    if (this.byKind.has(source.kind)) throw new Error(`The kind ${source.kind} has two sources`);
    this.byKind.set(source.kind, source);
  }
}
