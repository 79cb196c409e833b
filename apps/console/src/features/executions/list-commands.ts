import type { CommandLine } from '../../ui/command-lines';
import { shellWord } from '../../ui/shell-word';
import type { ExecutionsSearch } from './executions.search';

const OF_ALL: readonly CommandLine[] = [
  { does: 'The sessions that executions belong to', command: 'agentctl sessions list' },
  { does: 'The tasks of the platform API', command: 'agentctl tasks list' },
  { does: 'One of these tasks', command: 'agentctl tasks get TASK_ID' },
  { does: 'Make a task', command: 'agentctl tasks create --file task.yaml' },
];

/** Returns the commands for what the list does not do: for its session, if it is that of one. */
export function listCommands({ session }: ExecutionsSearch): readonly CommandLine[] {
  if (session === undefined) return OF_ALL;
  const id = shellWord(session);
  return [
    { does: 'The session', command: `agentctl sessions get ${id}` },
    { does: 'Its messages', command: `agentctl sessions messages ${id}` },
    { does: 'Give it a name', command: `agentctl sessions rename ${id} NAME` },
    { does: 'Change its other fields', command: `agentctl sessions edit ${id}` },
    { does: 'Begin another one with its messages', command: `agentctl sessions fork ${id}` },
    { does: 'Delete it', command: `agentctl sessions delete ${id}` },
  ];
}
