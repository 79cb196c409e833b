import { hasPrefixedWord, holdsWord } from '@app/database';
import { SECRET_PREFIX } from './requested-environment.js';

/**
 * Returns the conditions of `Uses` for an execution environment. It names integrations by id, and secrets in the values
 * of variables, with the form `secret:NAME`.
 */
export function usesOfEnvironment(json: string): Readonly<Record<'integration' | 'secret', readonly string[]>> {
  return {
    integration: [holdsWord(`${json} -> 'integration_ids'`)],
    secret: [hasPrefixedWord(`${json} -> 'env_vars'`, SECRET_PREFIX)],
  };
}
