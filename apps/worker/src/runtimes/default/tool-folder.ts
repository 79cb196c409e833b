import type { RuntimeTask } from '../runtime.js';
import { workingFolder } from '../working-folder.js';
import type { McpServerSettings } from './mcp/mcp-settings.js';

/** Returns the folder in which the tools of a task work. If no tool needs one, returns null and creates no folder. */
export async function folderFor(task: RuntimeTask, servers: readonly McpServerSettings[]): Promise<string | null> {
  const isNeeded = task.skills.serves(task.lease) || servers.some(({ transport }) => transport === 'stdio');
  return isNeeded ? workingFolder(task) : null;
}
