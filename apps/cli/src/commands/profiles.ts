import type { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { CommandError, EXIT_CODES } from '../errors.js';
import { formatOption, withExamples } from '../options.js';
import { printRows, type Format } from '../output.js';
import type { StoredProfiles } from '../profiles.js';

export function defineProfiles(command: Command, { terminal, profiles }: CommandContext): void {
  withExamples(command, 'profiles list', 'profiles use staging');
  const list = command
    .command('list')
    .description('List the profiles, without their keys')
    .addOption(formatOption())
    .action(async ({ output }: { readonly output: Format }) => {
      const { current, profiles: stored } = profiles.read();
      const rows = Object.entries(stored).map(([name, { control_plane_url, platform_api_url }]) => ({
        name,
        current: name === current,
        control_plane_url,
        platform_api_url,
      }));
      await printRows(terminal, rows, ['name', 'current', 'control_plane_url', 'platform_api_url'], output);
    });
  withExamples(list, 'profiles list');
  const use = command
    .command('use <profile>')
    .description('Use a profile from now on')
    .action((name: string) => profiles.write({ ...existing(profiles.read(), name), current: name }));
  withExamples(use, 'profiles use staging');
  const remove = command
    .command('remove <profile>')
    .description('Remove a profile with its key; the key stays valid')
    .action((name: string) => {
      const { current } = existing(profiles.read(), name);
      const inUse = profiles.remove(name);
      if (inUse !== null && inUse !== current) terminal.note(`The profile in use is now "${inUse}".`);
    });
  withExamples(remove, 'profiles remove staging');
}

function existing(stored: StoredProfiles, name: string): StoredProfiles {
  if (Object.hasOwn(stored.profiles, name)) return stored;
  const advice = 'List them: agentctl profiles list';
  throw new CommandError(`There is no profile "${name}".`, EXIT_CODES.config, advice);
}
