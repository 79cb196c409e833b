import type { InheritedByRun } from '@app/context';
import type { AssembledRunnable } from '@app/executions';
import { DomainError, type Scope } from '@app/kernel';
import { ModelService } from '@app/models';
import { Injectable } from '@nestjs/common';
import type { RunModel } from './run.types.js';

/** Finds the models of runs. */
@Injectable()
export class RunModelsService {
  constructor(private readonly models: ModelService) {}

  /**
   * Returns the model of the runnable, otherwise that of its projects, otherwise the default model; null if there is
   * none.
   */
  async of(
    scope: Scope,
    runnable: AssembledRunnable | null,
    inheritance: InheritedByRun | Promise<InheritedByRun>,
  ): Promise<RunModel | null> {
    const own = runnable?.model ?? null;
    if (own !== null) return this.named(scope, own);
    // The default model is read concurrently because it is usually needed: few projects name a model.
    const [{ defaults }, byDefault] = await Promise.all([inheritance, this.models.findDefault(scope)]);
    return defaults.model === null ? (byDefault ?? null) : this.named(scope, defaults.model);
  }

  /**
   * Returns the model with this id or value. If it is neither stored nor listed by the gateway, it is used as a value.
   */
  async named(scope: Scope, idOrValue: string): Promise<RunModel> {
    return (await this.models.read(scope, idOrValue).catch(nullIfNotFound)) ?? { value: idOrValue };
  }
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof DomainError && error.kind === 'not_found') return null;
  throw error;
}
