import { Argument, type Command } from 'commander';
import type { CommandContext } from '../context.js';
import { withExamples } from '../options.js';

/** The scripts ask the program for candidates, so they fit every version. */
const SCRIPTS = {
  bash: `_agentctl() {
  local candidates
  candidates=$(agentctl __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _agentctl agentctl
`,
  zsh: `#compdef agentctl
_agentctl() {
  local -a candidates
  candidates=(\${(f)"$(agentctl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#candidates} )); then compadd -a candidates; else _files; fi
}
# Autoloaded from a folder of functions: complete the current word. Sourced: register the function.
if [[ $funcstack[1] == _agentctl ]]; then _agentctl "$@"; else compdef _agentctl agentctl; fi
`,
  fish: `function __agentctl_candidates
  agentctl __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
complete -c agentctl -f -n 'count (__agentctl_candidates) >/dev/null' -a '(__agentctl_candidates)'
complete -c agentctl -F -n 'not count (__agentctl_candidates) >/dev/null'
`,
} as const;

type Shell = keyof typeof SCRIPTS;

export function defineCompletion(completion: Command, context: CommandContext): void {
  completion
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .action((shell: Shell) => context.terminal.write(SCRIPTS[shell]));
  withExamples(
    completion,
    'completion bash > ~/.local/share/bash-completion/completions/agentctl',
    'completion zsh > ~/.zsh/completions/_agentctl',
    'completion fish > ~/.config/fish/completions/agentctl.fish',
  );
}

/** The command that the scripts call. */
export function defineCandidates(complete: Command, { terminal }: CommandContext): void {
  complete.argument('[words...]').action((words: string[]) => {
    const program = complete.parent ?? complete;
    for (const candidate of candidatesFor(program, words)) terminal.print(candidate);
  });
}

/** Returns the candidates for the last word: subcommands, options, or the choices of an option or argument. */
export function candidatesFor(program: Command, words: readonly string[]): string[] {
  const [last = '', ...before] = words.toReversed();
  let command = program;
  let previous = '';
  for (const word of before.toReversed()) {
    command = command.commands.find((child) => child.name() === word) ?? command;
    previous = word;
  }
  const option = command.options.find(
    ({ long, short }) => previous === long || (previous !== '' && previous === short),
  );
  const isValue = option?.required === true;
  const values = isValue ? (option.argChoices ?? []) : namesIn(command, last.startsWith('-'));
  return values.filter((value) => value.startsWith(last));
}

function namesIn(command: Command, isOption: boolean): readonly string[] {
  if (isOption) return command.options.flatMap(({ long, hidden }) => (hidden || long === undefined ? [] : [long]));
  const children = command
    .createHelp()
    .visibleCommands(command)
    .map((child) => child.name());
  return children.length > 0 ? children : (command.registeredArguments[0]?.argChoices ?? []);
}
