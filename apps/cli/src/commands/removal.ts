import type { Command } from 'commander';
import { confirm, yesOption } from '../confirm.js';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { ResourceClient } from '../resource-client.js';
import type { Resource } from '../resources.js';

interface Removal {
  readonly verb: 'Delete' | 'Revoke';
  readonly done: 'deleted' | 'revoked';
}

/**
 * Makes a command, whose arguments are ids or names, remove resources. The command asks for confirmation on a terminal
 * only, so that scripts do not wait for an answer.
 */
export function removes(
  command: Command,
  context: CommandContext,
  resource: Resource,
  { verb, done }: Removal,
): Command {
  return command.addOption(yesOption()).action(async (idsOrNames: string[], { yes = false }: { yes?: boolean }) => {
    const { terminal } = context;
    const client = new ResourceClient(connect(context), resource);
    const labels = new Map<string, string>();
    for (const name of idsOrNames) labels.set(client.idOf(await client.find(name)), `${resource.kind}/${name}`);
    if (!yes && terminal.isInteractive) await confirm(terminal, `${verb} ${[...labels.values()].join(', ')}?`);
    for (const [id, label] of labels) {
      await client.delete(id);
      terminal.print(`${label} ${done}`);
    }
  });
}
