import { distinctBy, isJsonObject } from '@app/kernel';
import type { ProjectLayer, RunDefaults } from './project.types.js';

/**
 * Merges the defaults that projects add to a run. Earlier projects take precedence: the model is that of the first
 * project with a `default_model`, and variables of a project override those of later projects. A project that occurs
 * several times counts at its first position.
 */
export function runDefaultsOf(projects: readonly ProjectLayer[]): RunDefaults {
  const ordered = distinctBy(projects, ({ id }) => id);
  return {
    model: ordered.find(({ default_model: model }) => model !== null)?.default_model ?? null,
    environments: ordered.toReversed().flatMap(({ id, execution_environment: environment }) => {
      return isJsonObject(environment) ? { name: `the project ${id}`, environment } : [];
    }),
  };
}
