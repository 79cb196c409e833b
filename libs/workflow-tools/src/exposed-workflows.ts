import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { CallFault } from './call-fault.js';
import { RUNNING, runWorkflow } from './execution.tools.js';
import type { CallIdentity } from './identity.js';
import { parametersOf } from './parameters.js';
import { PlatformForCaller, type Workflow } from './platform-for-caller.js';
import { RUN } from './schemas.js';
import { addTool, type ToolHost } from './tool.js';

/** Names of tools have 1 to 64 characters in most clients. */
const MAX_NAME_LENGTH = 64;
const PREFIX = 'run_';

const CACHE_MS = 10_000;
const MAX_CALLERS = 1000;

/** The workflows of the callers that become tools. They are read once in ten seconds, because each request needs them. */
export class ExposedWorkflows {
  private readonly byKey = new LRUCache<string, Promise<readonly Workflow[]>>({ max: MAX_CALLERS, ttl: CACHE_MS });

  /** Returns the workflows of a caller; none if there is no usable key. */
  async of(platformUrl: string, identityOf: () => CallIdentity): Promise<readonly Workflow[]> {
    try {
      const { apiKey } = identityOf();
      const digest = createHash('sha256').update(apiKey).digest('base64');
      const reading = this.byKey.get(digest) ?? new PlatformForCaller(platformUrl, apiKey).allWorkflows();
      this.byKey.set(digest, reading, { noUpdateTTL: true });
      return await reading;
    } catch (error) {
      // The tools that are not for one workflow report the same error to the caller.
      if (error instanceof CallFault) return [];
      throw error;
    }
  }
}

/** Offers a tool for each active workflow that runs it with its parameters. */
export function addExposedWorkflows(host: ToolHost, workflows: readonly Workflow[], waitSeconds: number): void {
  const taken = new Set<string>();
  const active = workflows.filter(({ status }) => status === 'active');
  for (const workflow of active.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = toolName(workflow, taken);
    taken.add(name);
    const parameters = parametersOf(workflow).filter((parameter) => parameter !== 'api_key');
    addTool(host, {
      name,
      title: workflow.name,
      description: workflow.description ?? `Runs the workflow "${workflow.name}".`,
      input: Object.fromEntries(parameters.map((parameter) => [parameter, z.unknown().optional()])),
      output: RUN,
      annotations: RUNNING,
      run: (call) => runWorkflow(call, workflow.id, { params: call.input, waitSeconds }),
    });
  }
}

/** Returns a name in the form of tool names; that of the older of two equal workflows ends with its id. */
function toolName({ name, id }: Workflow, taken: ReadonlySet<string>): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const plain = `${PREFIX}${slug}`.slice(0, MAX_NAME_LENGTH);
  if (slug !== '' && !taken.has(plain)) return plain;
  const suffix = id.replaceAll('-', '').slice(-12);
  return `${`${PREFIX}${slug}`.slice(0, MAX_NAME_LENGTH - suffix.length - 1)}_${suffix}`;
}
