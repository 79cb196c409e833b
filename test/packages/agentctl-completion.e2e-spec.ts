import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { findProgram, type Program } from '../../tools/provision/programs.js';
import { Agentctl, hasTerminals } from '../support/agentctl.js';
import { Platform } from '../support/platform.js';

const READY = 'ready for input';

/** A shell that completes agentctl as the help of `agentctl completion` describes. */
interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish';
  readonly program: Program | undefined;
  readonly command: string;
  /** Where the script of the shell and its settings are, in the home of the user. */
  readonly script: string;
  readonly settings: Readonly<Record<string, string>>;
}

const [zsh, fish] = [findProgram('zsh'), findProgram('fish')];
const SHELLS: readonly Shell[] = [
  {
    name: 'bash',
    program: { path: 'bash', env: {} },
    command: 'bash --rcfile .bashrc -i',
    script: '.local/share/bash-completion/completions/agentctl',
    // Sources the file, because bash runs without the package bash-completion, which would load it.
    settings: { '.bashrc': `PS1='${READY} '; . .local/share/bash-completion/completions/agentctl\n` },
  },
  {
    name: 'zsh',
    program: zsh,
    command: `${zsh?.path} -d -i`,
    script: '.zsh/completions/_agentctl',
    settings: {
      '.zshrc': `PS1='${READY} '
[[ -z $ZSH_MODULES ]] || module_path=($ZSH_MODULES)
fpath=(~/.zsh/completions $fpath)
autoload -Uz compinit && compinit -u
`,
    },
  },
  {
    name: 'fish',
    program: fish,
    command: `${fish?.path} -i`,
    script: '.config/fish/completions/agentctl.fish',
    settings: {
      '.config/fish/config.fish': `function fish_prompt; echo '${READY} '; end; set fish_greeting\n`,
      // Without this folder, fish fills it from all manual pages, in a process that outlives the shell.
      '.local/share/fish/generated_completions/none.fish': '',
    },
  },
];

describe('completion by the packed agentctl', () => {
  const cli = new Agentctl();

  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
    await cli.install();
  });
  afterAll(async () => {
    await platform.stop();
    cli.remove();
  });

  describe.each(SHELLS)('in $name', ({ name, program, command, script, settings }) => {
    const inShell = hasTerminals && program !== undefined ? it : it.skip;

    /** Types into a shell and presses Enter. Returns the output up to the message that refers to `--help`. */
    async function enter(typed: string): Promise<string> {
      for (const [file, content] of Object.entries(settings)) write(file, content);
      write(script, (await cli.run(['completion', name])).stdout);
      const shell = cli.startShell(command, {
        AGENTCTL_URL: platform.url,
        AGENTCTL_API_KEY: platform.adminKey,
        ...program?.env,
      });
      try {
        await eventually(() => expect(shell.stdout).toContain(READY));
        shell.type(`${typed}\r`);
        await eventually(() => expect(shell.stdout).toContain('--help'));
        return shell.stdout;
      } finally {
        shell.kill();
      }
    }

    function write(file: string, content: string): void {
      mkdirSync(join(cli.folder, file, '..'), { recursive: true });
      cli.write(file, content);
    }

    inShell('completes a command', async () => {
      expect(await enter('agentctl jobs tr\t')).toContain("missing required argument 'job'");
    });

    inShell('completes the value of an option', async () => {
      expect(await enter('agentctl jobs list -o js\t --limit none')).toContain("argument 'none' is invalid");
    });

    inShell('completes the name of a resource', async () => {
      const body = { name: 'completed-by-the-server' };
      await platform.client().POST('/api/v1/agents', { body });
      expect(await enter('agentctl agents get complet\t --none')).toContain('by-the-server');
    });

    inShell('completes a file name where the command has no candidates', async () => {
      cli.write('wishes.yaml', 'kind: wish\n');
      expect(await enter('agentctl apply -f wish\t')).toContain('"wish"');
    });
  });

  it('is silent if the platform does not respond', async () => {
    const env = { AGENTCTL_URL: 'http://127.0.0.1:9', AGENTCTL_API_KEY: 'ak_none' };
    const words = ['__complete', '--', 'agents', 'get', ''];
    expect(await cli.run(words, env)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await cli.run(words)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
