#!/usr/bin/env node
import { CommandContext } from './context.js';
import { run } from './program.js';
import { Terminal } from './terminal.js';

// The reader may close the pipe early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

async function main(): Promise<void> {
  const terminal = new Terminal(process.env, process);
  process.exitCode = await run(process.argv.slice(2), new CommandContext(terminal));
}

void main();
