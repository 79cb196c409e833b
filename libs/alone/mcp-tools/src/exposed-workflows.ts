import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { CallFault } from './call-fault.js';
import { RUNNING, runWorkflow } from './execution.tools.js';
import type { CallIdentity } from './identity.js';
import { parametersOf } from './parameters.js';
import { isOutage, PlatformForCaller, type PlatformEndpoint, type Workflow } from './platform-for-caller.js';
import { RUN } from './schemas.js';
import { RUN_PREFIX } from './scopes.js';
import { addTool, type ToolHost } from './tool.js';

/** Names of tools have 1 to 64 characters in most clients. */
const MAX_NAME_LENGTH = 64;
const SUFFIX_LENGTH = 12;
/** The end of a name that contains an id. Only names with the id of their own workflow have it. */
const ID_SUFFIX = /_[0-9a-f]{12}$/;

const CACHE_MS = 10_000;
const MAX_CALLERS = 1000;
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
const MAX_REPORTED = 10_000;

/** A workflow as a tool. */
interface ExposedWorkflow {
  readonly tool: string;
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly string[];
}

/** The workflows of the callers that become tools. They are read once in ten seconds, because each request needs them. */
export class ExposedWorkflows {
  private readonly byKey: LRUCache<string, readonly ExposedWorkflow[], string>;
  private readonly reported = new LRUCache<string, true>({ max: MAX_REPORTED });

  /** @param warn called once for each workflow that can have no tool, because another one would have its name */
  constructor(
    private readonly endpoint: PlatformEndpoint,
    private readonly warn: (message: string) => void,
    { cacheMs, maxBytes } = { cacheMs: CACHE_MS, maxBytes: MAX_CACHED_BYTES },
  ) {
    this.byKey = new LRUCache({
      max: MAX_CALLERS,
      ttl: cacheMs,
      maxSize: maxBytes,
      sizeCalculation: (workflows) => Buffer.byteLength(JSON.stringify(workflows)),
      fetchMethod: (_digest, former, { context: apiKey }) => this.read(apiKey, former),
      // A caller whose entry is evicted meanwhile still gets the workflows.
      ignoreFetchAbort: true,
    });
  }

  /** The number of bytes of what is kept. */
  get cachedBytes(): number {
    return this.byKey.calculatedSize;
  }

  /** Returns the workflows of a caller; none if there is no usable key. */
  async of(identityOf: () => CallIdentity): Promise<readonly ExposedWorkflow[]> {
    try {
      const { apiKey } = identityOf();
      const digest = createHash('sha256').update(apiKey).digest('base64');
      return (await this.byKey.fetch(digest, { context: apiKey })) ?? [];
    } catch (error) {
      // The tools that are not for one workflow report the same error to the caller.
      if (error instanceof CallFault) return [];
      throw error;
    }
  }

  /** Returns the former workflows if the platform cannot be reached: their tools report the outage to the caller. */
  private async read(apiKey: string, former: readonly ExposedWorkflow[] | undefined) {
    try {
      const workflows = await new PlatformForCaller(this.endpoint, apiKey).newestWorkflows();
      return this.toExposed(workflows.filter(({ status }) => status === 'active'));
    } catch (error) {
      if (former !== undefined && error instanceof CallFault && isOutage(error)) return former;
      throw error;
    }
  }

  private toExposed(workflows: readonly Workflow[]): ExposedWorkflow[] {
    const names = toolNames(workflows);
    for (const { id } of workflows.filter((workflow) => !names.has(workflow))) {
      if (!this.reported.has(id)) this.warn(`The workflow ${id} has no tool: another one would have the same name`);
      this.reported.set(id, true);
    }
    return [...names]
      .map(([workflow, tool]) => ({
        tool,
        id: workflow.id,
        title: workflow.name,
        description: workflow.description ?? `Runs the workflow "${workflow.name}".`,
        parameters: parametersOf(workflow).filter((parameter) => parameter !== 'api_key'),
      }))
      .toSorted((a, b) => (a.title < b.title ? -1 : 1));
  }
}

/** Offers a tool for each workflow that runs it with its parameters. */
export function addExposedWorkflows(host: ToolHost, workflows: readonly ExposedWorkflow[], waitSeconds: number): void {
  for (const { tool, id, title, description, parameters } of workflows) {
    addTool(host, {
      name: tool,
      title,
      description,
      input: Object.fromEntries(parameters.map((parameter) => [parameter, z.unknown().optional()])),
      output: RUN,
      annotations: RUNNING,
      run: (call) => runWorkflow(call, id, { params: call.input, waitSeconds }),
    });
  }
}

/**
 * Returns the names of the tools, each of one workflow. Names that would be equal end with the ids of their workflows, as
 * do names that look so: otherwise a new workflow could take the name of the tool of another one. A workflow whose name is
 * not unique even then has none.
 */
export function toolNames<W extends Pick<Workflow, 'name' | 'id'>>(workflows: readonly W[]): Map<W, string> {
  const plain = workflows.map(({ name }) => `${RUN_PREFIX}${slugOf(name)}`.slice(0, MAX_NAME_LENGTH));
  const plainCounts = countsOf(plain);
  const names = workflows.map(({ id }, index) => {
    const name = plain[index] ?? '';
    if (name !== RUN_PREFIX && plainCounts.get(name) === 1 && !ID_SUFFIX.test(name)) return name;
    const suffix = `_${id.replaceAll('-', '').slice(-SUFFIX_LENGTH)}`;
    return `${name.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`;
  });
  const counts = countsOf(names);
  const pairs = workflows.map((workflow, index) => [workflow, names[index] ?? ''] as const);
  return new Map(pairs.filter(([, name]) => counts.get(name) === 1));
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function slugOf(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '_');
  return words.replaceAll(/^_+|_+$/g, '');
}
