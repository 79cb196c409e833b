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
      const reading = this.byKey.get(digest) ?? new PlatformForCaller(platformUrl, apiKey).newestWorkflows();
      this.byKey.set(digest, reading, { noUpdateTTL: true });
      // A failure is not kept: the next request tries again.
      return await reading.catch((error: unknown) => {
        this.byKey.delete(digest);
        throw error;
      });
    } catch (error) {
      // The tools that are not for one workflow report the same error to the caller.
      if (error instanceof CallFault) return [];
      throw error;
    }
  }
}

/** Offers a tool for each active workflow that runs it with its parameters. */
export function addExposedWorkflows(host: ToolHost, workflows: readonly Workflow[], waitSeconds: number): void {
  const active = workflows.filter(({ status }) => status === 'active');
  const names = toolNames(active);
  for (const workflow of active.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = names.get(workflow) ?? '';
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

/**
 * Returns the names of the tools. Names that would be equal end with the ids of their workflows: otherwise a new
 * workflow could take the name of the tool of another one.
 */
export function toolNames<W extends Pick<Workflow, 'name' | 'id'>>(workflows: readonly W[]): Map<W, string> {
  const plain = workflows.map(({ name }) => `${PREFIX}${slugOf(name)}`.slice(0, MAX_NAME_LENGTH));
  return new Map(
    workflows.map((workflow, index) => {
      const name = plain[index] ?? '';
      const isUnique = name !== PREFIX && plain.indexOf(name) === plain.lastIndexOf(name);
      const suffix = `_${workflow.id.replaceAll('-', '').slice(-12)}`;
      return [workflow, isUnique ? name : `${name.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`];
    }),
  );
}

function slugOf(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '_');
  return words.replaceAll(/^_+|_+$/g, '');
}
