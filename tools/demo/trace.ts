import { setTimeout as sleep } from 'node:timers/promises';
import { treeOf, type Outline } from '../../apps/cli/src/trace-tree.js';
import type { DemoControlPlane } from './control-plane.js';
import type { Print } from './follow.js';

/** Workers send their spans twice a second. */
const WAIT_MS = 10_000;
const POLL_MS = 100;

/** The spans of a worker are below the one of its lease, so there is one root when all have arrived. */
function isComplete({ spans, duration_ns }: Outline): boolean {
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const roots = spans.filter(({ parent_span_id: parent }) => parent === null || !ids.has(parent));
  const services = new Set(spans.map(({ service_name }) => service_name));
  return roots.length === 1 && services.size === 2 && duration_ns !== null;
}

/** Prints the trace of an ended execution as a tree, once the spans of the worker and of the platform have arrived. */
export async function printTrace(controlPlane: DemoControlPlane, executionId: string, print: Print): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const outline = await controlPlane.trace(executionId);
    if (outline !== undefined && isComplete(outline)) {
      print('');
      for (const line of treeOf(outline).split('\n')) print(line);
      print(`(agentctl traces show ${executionId})`);
      return;
    }
    if (performance.now() > deadline) return print('The trace did not arrive in time.');
    await sleep(POLL_MS);
  }
}
