import { SECRET_PREFIX } from '@app/kernel';
import { hasPrefixedWord, holdsWord } from './uses.js';

/**
 * Returns the conditions of `Uses` for an execution environment. It names integrations by id, and secrets in the values
 * of variables, with the form `secret:NAME`. Not in `libs/domains/executions`: `EnvironmentEntity` uses it too, and whatever
 * loads that lib must also have the handlers of its outbox topics.
 */
export function usesOfEnvironment(json: string): Readonly<Record<'integration' | 'secret', readonly string[]>> {
  return {
    integration: [holdsWord(`${json} -> 'integration_ids'`)],
    secret: [hasPrefixedWord(`${json} -> 'env_vars'`, SECRET_PREFIX)],
  };
}
