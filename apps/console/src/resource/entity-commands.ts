import type { CommandLine } from '../ui/command-lines';

/** The commands for the context of a thing: what its runs receive besides its own definition. */
export function contextCommands(type: 'agent' | 'team' | 'project' | 'environment', id: string): CommandLine[] {
  return [
    { does: 'Its context: knowledge, resources and policies', command: `agentctl context get ${type} ${id}` },
    { does: 'Change the context', command: `agentctl context set ${type} ${id} --file context.yaml` },
    { does: 'Empty the context', command: `agentctl context clear ${type} ${id}` },
  ];
}

/** The commands for the policies that apply to a thing. */
export function policyCommands(type: 'agent' | 'team' | 'environment', id: string): CommandLine[] {
  return [
    { does: 'The policies that apply, in their order', command: `agentctl policies resolved ${type} ${id}` },
    { does: 'Their verdict on an input', command: `agentctl policies eval ${type} ${id} --input input.yaml` },
  ];
}

/** The command for the variables that the runs of a thing inherit. */
export function variableCommand(type: 'agent' | 'team', id: string): CommandLine {
  return { does: 'The variables that its runs inherit', command: `agentctl context variables ${type} ${id}` };
}
