import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { projectRoot } from '../provision/project-root.js';

/**
 * Returns the variables that delay socket writes and timers in all Node processes of the run at random
 * (`delays.cjs`), and the seed; undefined without `TEST_DELAYS`. `TEST_DELAYS=1` chooses a seed, another number is the
 * seed.
 */
export function delaysOf(env: NodeJS.ProcessEnv): { seed: string; variables: Record<string, string> } | undefined {
  const wanted = env['TEST_DELAYS'] ?? '';
  if (wanted === '' || wanted === '0') return undefined;
  const seed = wanted === '1' ? String(randomInt(2, 2 ** 31)) : wanted;
  const preload = `--require=${JSON.stringify(join(projectRoot, 'tools/test/delays.cjs'))}`;
  return { seed, variables: { TEST_DELAYS: seed, NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} ${preload}`.trim() } };
}
