import { DEFAULT_ENVIRONMENT, EnvironmentService, resolveExecutionEnvironment } from '@app/environments';
import { RunnableSources, type Runnable } from '@app/executions';
import { HIDDEN_VALUE, type JsonObject, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { Injectable } from '@nestjs/common';
import { EntityLayersService } from './entity-layers.service.js';
import { orderVariableLayers } from './layers.js';

/** Resolves the variables that a runnable has after all layers. */
@Injectable()
export class InheritedVariablesService {
  constructor(
    private readonly layers: EntityLayersService,
    private readonly environments: EnvironmentService,
    private readonly runnables: RunnableSources,
    private readonly projects: ProjectLookupService,
  ) {}

  /**
   * Returns the variables that runs inherit from the environments of the entity (from the default environment if none
   * of them exists), from its projects, from the runnables of which it is a member and from the entity itself.
   * Variables of integrations are not included, and secret values are hidden unless `showSecrets`. Throws `not_found` for an unknown type
   * or entity.
   */
  async resolve(
    scope: Scope,
    type: string,
    id: string,
    showSecrets: boolean,
  ): Promise<Readonly<Record<string, string>>> {
    const runnable = await this.runnables.read(scope, this.layers.parse(type, id));
    const [ofEnvironments, defaults, own] = await Promise.all([
      this.environmentsOf(scope, runnable),
      this.projects.runDefaultsOf(scope, runnable),
      this.runnables.environmentLayersOf(scope, runnable),
    ]);
    const layers = orderVariableLayers({
      ofEnvironments,
      ofProjects: defaults.environments.map(({ environment }) => environment),
      ofRunnables: own.map(({ environment }) => environment),
    });
    const { variables, secrets } = resolveExecutionEnvironment(layers, { environment: {}, mayOverride: false });
    const hidden = new Set(showSecrets ? [] : secrets);
    return Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, hidden.has(name) ? HIDDEN_VALUE : value]),
    );
  }

  /**
   * Returns the environments to which runs of the runnable can be routed. They do not include the environments of an
   * agent's team.
   */
  private async environmentsOf(scope: Scope, { environmentIds }: Runnable): Promise<readonly JsonObject[]> {
    const existing = await this.environments.executionEnvironmentsOf(scope, environmentIds);
    return existing.length > 0 ? existing : this.environments.executionEnvironmentsOf(scope, [DEFAULT_ENVIRONMENT]);
  }
}
