import { PathLeavesFolder } from '../workspace/confined-path.js';
import { RuntimeFailure, type RuntimeTask } from './runtime.js';

/**
 * Returns the folder in which the processes and tools of a task work: the `working_dir` of its execution environment, inside the
 * folder of the run. Throws a RuntimeFailure if it cannot be used.
 */
export async function workingFolder({ lease, workspace }: RuntimeTask): Promise<string> {
  try {
    return await workspace.folderAt(lease.workingDir);
  } catch (error) {
    if (lease.workingDir === null) throw error;
    const reason = error instanceof PathLeavesFolder ? 'it leaves the workspace of the run' : 'it is not a folder';
    throw new RuntimeFailure(`The working_dir ${lease.workingDir.slice(0, 200)} cannot be used: ${reason}`);
  }
}
