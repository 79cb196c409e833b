import { contents } from './contents.js';
import type { Create, Cycle } from './cycle.js';
import { accounts, places } from './places.js';
import { memberships, rules } from './rules.js';
import { runnables } from './runnables.js';

/** `parents` are the ids of existing resources. */
export function newCycles(
  parents: Readonly<Record<'environment' | 'skill' | 'agent' | 'team' | 'project' | 'policy' | 'user', string>>,
  create: Create,
): Readonly<Record<string, Cycle>> {
  return {
    ...runnables(parents),
    ...places(parents),
    ...rules(parents, create),
    ...contents(),
    ...memberships(parents, create),
    ...accounts(parents),
  };
}
