import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { CommandError, EXIT_CODES } from '../errors.js';
import { withExamples } from '../options.js';

/** What opens an address in the browser of the user, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHER_OPENER = ['xdg-open'];

/** Adds `open`: the console of the platform in the browser. Its address never contains the key. */
export function defineOpen(open: Command, context: CommandContext): void {
  open
    .argument('[page]', 'address of a page below /console', '')
    .option('--print', 'only print the address')
    .action(async (page: string, { print }: { readonly print?: true }) => {
      const url = addressOf(connect(context).profile.control_plane_url, page);
      context.terminal.print(url);
      if (print !== true) await openInBrowser(url, context.terminal.env['BROWSER']);
    });
  withExamples(open, 'open', 'open executions/EXECUTION_ID', 'open jobs --print');
}

function addressOf(controlPlaneUrl: string, page: string): string {
  const base = `${controlPlaneUrl.replace(/\/+$/, '')}/console/`;
  const url = new URL(page.replace(/^\/+/, ''), base).href;
  if (url.startsWith(base)) return url;
  throw new CommandError(
    `"${page}" is not a page of the console.`,
    EXIT_CODES.usage,
    'Give an address such as jobs/JOB_ID.',
  );
}

async function openInBrowser(url: string, browser: string | undefined): Promise<void> {
  const [command = '', ...args] = browser ? [browser] : (OPENERS[process.platform] ?? OTHER_OPENER);
  const opener = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  const isStarted = await once(opener, 'spawn').then(
    () => true,
    () => false,
  );
  if (!isStarted) {
    throw new CommandError('No browser could be started.', EXIT_CODES.unavailable, 'Open the address above yourself.');
  }
  opener.unref();
}
