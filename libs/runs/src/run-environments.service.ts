import { orderVariableLayers } from '@app/context';
import {
  EnvironmentService,
  integrationIdsIn,
  resolveExecutionEnvironment,
  type ResolvedEnvironment,
  type StartEnvironment,
} from '@app/environments';
import { RunnableSources, type EnvironmentLayer, type Runnable } from '@app/executions';
import type { JsonObject, Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { IntegrationService, secretIn, SecretService } from '@app/resources';
import { Injectable } from '@nestjs/common';

/** Maximum number of causes in one error message. */
const MAX_CAUSES = 5;

/** The execution environment of a run, or why it has none. */
export type RunEnvironment = { readonly environment: ResolvedEnvironment } | { readonly failure: string };

/** A variable whose value is a reference to a secret. */
interface SecretVariable {
  readonly variable: string;
  readonly secret: string;
}

/** Composes the execution environments of runs from the layers of all domains. */
@Injectable()
export class RunEnvironmentsService {
  constructor(
    private readonly environments: EnvironmentService,
    private readonly runnables: RunnableSources,
    private readonly projects: ProjectLookupService,
    private readonly integrations: IntegrationService,
    private readonly secrets: SecretService,
  ) {}

  /** Returns the layer that the environment adds to its runs; undefined if it does not exist. */
  async ofEnvironment(scope: Scope, environmentId: string): Promise<JsonObject | undefined> {
    return this.environments.executionEnvironmentOf(scope, environmentId);
  }

  /** Returns the layers that a start of this runnable in this environment inherits. */
  async layersOf(scope: Scope, runnable: Runnable, environmentId: string): Promise<readonly EnvironmentLayer[]> {
    const [environment = {}, { environments }, layers] = await Promise.all([
      this.ofEnvironment(scope, environmentId),
      this.projects.runDefaultsOf(scope, runnable),
      this.runnables.environmentLayersOf(scope, runnable),
    ]);
    const inherited = orderVariableLayers<EnvironmentLayer>({
      ofEnvironments: [{ name: `the environment ${environmentId}`, environment }],
      ofProjects: environments,
      ofRunnables: layers,
    });
    const ids = integrationIdsIn(inherited.map((layer) => layer.environment));
    return [...inherited, ...(await this.integrations.layersOf(scope, ids))];
  }

  /**
   * Merges the layers, those of the integrations that they name, and that of the start, and replaces references to
   * secrets by their values. Returns a failure if an integration or a secret does not exist. Reads only the
   * integrations and secrets that are named.
   */
  async resolve(scope: Scope, layers: readonly JsonObject[], start: StartEnvironment): Promise<RunEnvironment> {
    const ids = integrationIdsIn(start.mayOverride ? [...layers, start.environment] : layers);
    const integrations = await this.integrations.layersOf(scope, ids);
    const existing = new Set(integrations.map(({ id }) => id));
    const missing = ids.filter((id) => !existing.has(id));
    if (missing.length > 0) return failed(missing.map((id) => `The integration ${id} does not exist`));
    const resolved = resolveExecutionEnvironment(
      [...layers, ...integrations.map(({ environment }) => environment)],
      start,
    );
    return this.withSecrets(scope, resolved);
  }

  private async withSecrets(scope: Scope, resolved: ResolvedEnvironment): Promise<RunEnvironment> {
    const references = secretVariables(resolved);
    if (references.length === 0) return { environment: resolved };
    const names = new Set(references.map(({ secret }) => secret));
    const { values, failures } = await this.secrets.resolve(scope, [...names]);
    const unresolved = references.filter(({ secret }) => failures.has(secret));
    if (unresolved.length > 0) {
      return failed(
        unresolved.map(
          ({ variable, secret }) =>
            `The variable ${variable} refers to the secret ${secret}, which ${failures.get(secret)}`,
        ),
      );
    }
    const secretValues = references.map(({ variable, secret }) => [variable, values.get(secret) ?? ''] as const);
    return {
      environment: {
        ...resolved,
        variables: { ...resolved.variables, ...Object.fromEntries(secretValues) },
        secrets: [...new Set([...resolved.secrets, ...references.map(({ variable }) => variable)])],
      },
    };
  }
}

/**
 * Returns the variables that refer to secrets. The variables of a start that must not override are plain values, even
 * if they have the form of a reference.
 */
function secretVariables({ variables, plainVariables }: ResolvedEnvironment): SecretVariable[] {
  const plain = new Set(plainVariables);
  return Object.entries(variables).flatMap(([variable, value]) => {
    const secret = plain.has(variable) ? undefined : secretIn(value);
    return secret === undefined ? [] : [{ variable, secret }];
  });
}

function failed(causes: readonly string[]): RunEnvironment {
  return { failure: causes.slice(0, MAX_CAUSES).join('; ') };
}
