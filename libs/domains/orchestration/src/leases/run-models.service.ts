import type { InheritedByRun } from '@app/entity-contexts';
import type { AssembledRunnable } from '@app/executions';
import { getRequired, type Scope } from '@app/kernel';
import { ModelService } from '@app/models';
import { Injectable } from '@nestjs/common';
import type { AssembledRun, RunModel } from '../run.types.js';

type MaybePromise<T> = T | Promise<T>;

interface RunModels extends Pick<AssembledRun, 'furtherModels'> {
  readonly models: readonly (RunModel | null)[];
}

/** Finds the models of runs. */
@Injectable()
export class RunModelsService {
  constructor(private readonly models: ModelService) {}

  /**
   * Returns for each of the runnables, in their order, its model, otherwise that of its projects, otherwise the default
   * model; null if there is none. Also returns the further models of the first runnable, which is the one that runs. A
   * model that is neither stored nor listed by the gateway is used as a value. The number of statements does not depend
   * on the number of runnables.
   */
  async ofRun(
    scope: Scope,
    runnables: readonly (AssembledRunnable | null)[],
    inheritance: MaybePromise<readonly InheritedByRun[]>,
  ): Promise<RunModels> {
    const further = runnables[0]?.furtherModels ?? [];
    const own = runnables.map((runnable) => runnable?.model ?? null);
    // The default model is read concurrently because it is usually needed: few projects name a model.
    const [byName, byDefault, inherited] = await Promise.all([
      this.named(scope, [...own, ...further]),
      own.includes(null) ? this.models.findDefault(scope) : undefined,
      inheritance,
    ]);
    const ofProjects = own.map((name, index) => (name === null ? (inherited[index]?.defaults.model ?? null) : null));
    const byNameOfProject = await this.named(scope, ofProjects);
    const models = own.map((name, index) => {
      const ofProject = ofProjects[index] ?? null;
      if (name !== null) return getRequired(byName, name);
      return ofProject === null ? (byDefault ?? null) : getRequired(byNameOfProject, ofProject);
    });
    return { models, furtherModels: new Map(further.map((name) => [name, getRequired(byName, name)])) };
  }

  /** Returns the models with these ids or values; null is ignored. */
  private async named(scope: Scope, idsOrValues: readonly (string | null)[]): Promise<ReadonlyMap<string, RunModel>> {
    const names = idsOrValues.filter((name) => name !== null);
    const found = await this.models.byIdsOrValues(scope, names);
    return new Map(names.map((name) => [name, found.get(name) ?? { value: name }]));
  }
}
