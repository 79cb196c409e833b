import { Argument, type Command, type Option } from 'commander';
import type { CommandContext } from '../context.js';
import { withExamples } from '../options.js';
import { namesOf, profileNames } from '../resource-names.js';
import { resourceOf } from '../resources.js';

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

const PROFILE = '--profile';
/** The arguments that name a resource of the kind in the argument before them. The others have the name of the kind. */
const NAMED_BY_KIND: ReadonlySet<string> = new Set(['name', 'entity']);

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
export function defineCandidates(complete: Command, context: CommandContext): void {
  complete.argument('[words...]').action(async (words: string[]) => {
    const program = complete.parent ?? complete;
    for (const candidate of await candidatesFor(program, words, context)) context.terminal.print(candidate);
  });
}

/**
 * Returns the candidates for the last word: subcommands, options, the choices of an option or argument, or the names of
 * what an argument names: profiles, or resources of the platform.
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  context: CommandContext,
): Promise<string[]> {
  const [last = '', ...before] = words.toReversed();
  const place = placeAfter(program, before.toReversed());
  context.profileName = place.profile;
  const values = await valuesAt(place, last.startsWith('-'), context);
  return values.filter((value) => value.startsWith(last) && !place.given.includes(value));
}

/** Where a word is in a command line. */
interface Place {
  readonly command: Command;
  /** The option whose value the word is. */
  readonly option: Option | undefined;
  /** The arguments of the command before the word. */
  readonly given: readonly string[];
  /** The value of `--profile`. */
  readonly profile: string | undefined;
}

function placeAfter(program: Command, before: readonly string[]): Place {
  let command = program;
  let option: Option | undefined;
  let profile: string | undefined;
  const given: string[] = [];
  for (const word of before) {
    const child = given.length > 0 ? undefined : command.commands.find((child) => child.name() === word);
    if (option !== undefined) {
      if (option.long === PROFILE) profile = word;
      option = undefined;
    } else if (word.startsWith('-')) option = optionOf(command, word) ?? optionOf(program, word);
    else if (child === undefined) given.push(word);
    else command = child;
  }
  return { command, option, given, profile };
}

/** Returns the option of this name if it has a value. */
function optionOf({ options }: Command, name: string): Option | undefined {
  return options.find(({ long, short, required }) => required && (name === long || name === short));
}

async function valuesAt(place: Place, isOption: boolean, context: CommandContext): Promise<readonly string[]> {
  const { command, option, given } = place;
  if (option !== undefined) return option.long === PROFILE ? profileNames(context) : (option.argChoices ?? []);
  if (isOption) {
    return command.options.flatMap(({ long, hidden }) => (hidden || long === undefined ? [] : [long]));
  }
  const children = command.createHelp().visibleCommands(command);
  if (children.length > 0) return given.length > 0 ? [] : children.map((child) => child.name());
  const { registeredArguments: args } = command;
  const argument = args[given.length] ?? args.findLast(({ variadic }) => variadic);
  if (argument === undefined) return [];
  if (argument.argChoices !== undefined) return argument.argChoices;
  if (argument.name() === 'profile') return profileNames(context);
  const resource = resourceOf(NAMED_BY_KIND.has(argument.name()) ? (given.at(-1) ?? '') : argument.name());
  return resource === undefined ? [] : namesOf(resource, context);
}
