import { orderVariableLayers } from '@app/entity-contexts';
import { readInHalves } from '@app/database';
import {
  EnvironmentService,
  integrationIdsIn,
  resolveExecutionEnvironment,
  type ResolvedEnvironment,
  type StartEnvironment,
} from '@app/environments';
import { RunnableSources, type EnvironmentLayer, type Runnable } from '@app/executions';
import { getRequired, type JsonObject, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { IntegrationService, secretIn, SecretService, type ResolvedSecrets } from '@app/resources';
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

  /**
   * Returns the layers that a start of the runnable in the environment inherits; undefined stands for one that does not
   * exist yet, which has no layers.
   */
  async layersOf(
    scope: Scope,
    runnable: Runnable | undefined,
    environmentId: string | undefined,
  ): Promise<readonly EnvironmentLayer[]> {
    // Sequential, because an update of a job runs these reads in its transaction: if one failed, another one could be
    // sent after the rollback.
    const environment = environmentId && (await this.ofEnvironment(scope, environmentId));
    const defaults = runnable && (await this.projects.runDefaultsOf(scope, runnable));
    const layers = runnable && (await this.runnables.environmentLayersOf(scope, runnable));
    const inherited = orderVariableLayers<EnvironmentLayer>({
      ofEnvironments: environment ? [{ name: `the environment ${environmentId}`, environment }] : [],
      ofProjects: defaults?.environments ?? [],
      ofRunnables: layers ?? [],
    });
    const ids = integrationIdsIn(inherited.map((layer) => layer.environment));
    return [...inherited, ...(await this.integrations.layersOf(scope, ids))];
  }

  /**
   * For each list of layers, merges the layers, those of the integrations that they name, and that of the start, and
   * replaces references to secrets by their values. Returns a failure in the place of each list that names an integration
   * or a secret that does not exist. Reads only what is named, with one statement for all integrations and one for all
   * secrets.
   */
  async resolveAll(
    scope: Scope,
    lists: readonly (readonly JsonObject[])[],
    start: StartEnvironment,
  ): Promise<readonly RunEnvironment[]> {
    const named = lists.map((layers) => ({
      layers,
      ids: integrationIdsIn(start.mayOverride ? [...layers, start.environment] : layers),
    }));
    const ids = [...new Set(named.flatMap((list) => list.ids))];
    const found = await readInHalves(ids, (some) => this.integrations.layersOf(scope, some));
    const byId = new Map(found.map((integration) => [integration.id, integration]));
    const merged = named.map((list) => mergedOf(list, byId, start));
    const references = merged.map((one): SecretVariable[] =>
      'failure' in one ? [] : secretVariables(one.environment),
    );
    const secrets = await this.secrets.resolve(scope, [...new Set(references.flat().map(({ secret }) => secret))]);
    return merged.map((one, index) =>
      'failure' in one ? one : withSecrets(one.environment, references[index] ?? [], secrets),
    );
  }
}

/** Merges the layers with those of the integrations that they name, in the order of `ids`. */
function mergedOf(
  { layers, ids }: { readonly layers: readonly JsonObject[]; readonly ids: readonly string[] },
  integrations: ReadonlyMap<string, EnvironmentLayer>,
  start: StartEnvironment,
): RunEnvironment {
  const missing = ids.filter((id) => !integrations.has(id));
  if (missing.length > 0) return failed(missing.map((id) => `The integration ${id} does not exist`));
  const further = ids.map((id) => getRequired(integrations, id).environment);
  return { environment: resolveExecutionEnvironment([...layers, ...further], start) };
}

/** Replaces the references to secrets by their values. */
function withSecrets(
  resolved: ResolvedEnvironment,
  references: readonly SecretVariable[],
  { values, failures }: ResolvedSecrets,
): RunEnvironment {
  if (references.length === 0) return { environment: resolved };
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
