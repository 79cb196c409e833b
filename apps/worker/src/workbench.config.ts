import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvVar, listOf, text } from '@app/config';
import { commandRuntimes, type CommandSettings } from './runtimes/command/command-settings.js';
import { BUILT_IN_SKILLS } from './skills/offered-skills.js';

/** Limits what runs may do on the machine of a worker. */
export class WorkbenchConfig {
  @EnvVar('WORKER_WORKSPACE', text(), {
    default: null,
    doc: 'Folder in which each run of a worker gets a folder of its own. Default: agent-workspaces in the temporary folder.',
  })
  readonly workspace!: string | null;

  @EnvVar('WORKER_SKILLS', listOf(BUILT_IN_SKILLS.map(({ type }) => type)), {
    default: ['file_system', 'file_generation'],
    doc: 'Built-in skills that a worker offers, or none; shell, python and docker run code on its machine.',
  })
  readonly skills!: readonly string[];

  @EnvVar('WORKER_TOOL_ENV', listOf(null), {
    default: ['PATH', 'LANG', 'LC_ALL', 'TZ'],
    doc: 'Variables of the environment of a worker that the processes of its tools and runtimes receive.',
  })
  readonly toolVariables!: readonly string[];

  @EnvVar('WORKER_RUNTIMES', commandRuntimes, {
    default: [],
    doc: 'Runtimes of a worker besides default: JSON object from runtime ids (vendor_code) to {"command", "args", "env"}.',
  })
  readonly runtimes!: readonly CommandSettings[];
}

export function workspaceFolder({ workspace }: WorkbenchConfig): string {
  return workspace ?? join(tmpdir(), 'agent-workspaces');
}
