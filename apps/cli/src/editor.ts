import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDocument } from './documents.js';
import { CommandError, EXIT_CODES, usageError } from './errors.js';
import { serialize, type Row } from './output.js';
import type { Terminal } from './terminal.js';

/**
 * Lets the user change a resource in an editor, which is opened again if the result is not valid or if `check` throws a
 * CommandError. Throws a CommandError without a terminal, or if the editor fails.
 */
export async function editInEditor(row: Row, terminal: Terminal, check: (edited: Row) => void): Promise<Row> {
  if (!terminal.isInteractive) throw usageError('Without a terminal, --file or --set is required.');
  const folder = mkdtempSync(join(tmpdir(), 'agentctl-'));
  const file = join(folder, 'resource.yaml');
  try {
    writeFileSync(file, await serialize(row, 'yaml'), { mode: 0o600 });
    for (;;) {
      openEditor(file, terminal);
      try {
        const edited = await readDocument(file, terminal);
        check(edited);
        return edited;
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        terminal.note(error.message);
        // The file exists only here: without this question, what was written in the editor would be lost.
        const answer = await terminal.ask('Edit it again? [Y/n] ');
        if (/^n/i.test(answer)) throw new CommandError('Nothing was changed.', EXIT_CODES.failed);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openEditor(file: string, terminal: Terminal): void {
  const editor = terminal.env['VISUAL'] || terminal.env['EDITOR'] || 'vi';
  // Runs in a shell, because the variable may contain arguments.
  const { status } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  if (status !== 0) throw new CommandError(`The editor "${editor}" failed. Nothing was changed.`, EXIT_CODES.failed);
}
