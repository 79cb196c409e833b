import { EnvironmentService } from '@app/environments';
import { RunnableSources, type RunnableRef } from '@app/executions';
import { entityKeyOf, type EntityRef, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';

const RUNNABLE_TYPES = ['agent', 'team'] as const;

/** Finds the names of the agents, teams and environments to which policies apply. */
@Injectable()
export class PolicyEntityNames {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly environments: EnvironmentService,
  ) {}

  /** Returns the names of the entities that exist, by `entityKeyOf`. Runs at most one statement per type. */
  async of(scope: Scope, entities: readonly EntityRef[]): Promise<ReadonlyMap<string, string>> {
    const idsOf = (type: string): string[] =>
      entities.filter(({ entity_type }) => entity_type === type).map(({ entity_id }) => entity_id);
    const refs = RUNNABLE_TYPES.flatMap((kind) => idsOf(kind).map((id): RunnableRef => ({ kind, id })));
    const [runnables, environments] = await Promise.all([
      this.runnables.namesOf(scope, refs),
      this.environments.summaries(scope, idsOf('environment')),
    ]);
    const named = (entity_type: string, entity_id: string, name: string): [string, string] => {
      return [entityKeyOf({ entity_type, entity_id }), name];
    };
    return new Map([
      ...[...runnables].flatMap(([kind, names]) => [...names].map(([id, name]) => named(kind, id, name))),
      ...[...environments].map(([id, { name }]) => named('environment', id, name)),
    ]);
  }
}
