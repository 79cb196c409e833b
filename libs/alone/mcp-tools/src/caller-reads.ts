import type { ServerContext } from '@modelcontextprotocol/server';
import { runRecorded } from './admitted-call.js';
import { CallFault } from './call-fault.js';
import { PlatformForCaller, type Workflow } from './platform-for-caller.js';
import type { ToolHost } from './tool.js';

/** A method that shows workflows of the caller and is no call of a tool. */
type ReadingMethod = 'prompts/list' | 'prompts/get' | 'resources/list' | 'resources/read';

/** Reads for a caller under the same rules as calls of tools: key, limit and record. */
export function readFor<Result extends object>(
  host: ToolHost,
  method: ReadingMethod,
  context: ServerContext,
  read: (platform: PlatformForCaller) => Promise<Result>,
): Promise<Result> {
  return runRecorded(host, { tool: method, apiKey: undefined, context }, ({ identity }) =>
    read(new PlatformForCaller(host.endpoint, identity.apiKey)),
  );
}

/** Returns the workflows of the caller; none without a key, because clients read the lists before any call. */
export async function listFor(
  host: ToolHost,
  method: ReadingMethod,
  context: ServerContext,
): Promise<readonly Workflow[]> {
  try {
    host.identityOf(undefined, context.http?.authInfo);
  } catch (error) {
    if (error instanceof CallFault) return [];
    throw error;
  }
  return readFor(host, method, context, (platform) => platform.newestWorkflows());
}
