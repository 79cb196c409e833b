import { runCommand } from '../workspace/bounded-command.js';
import { inputSchema, textInput, type BuiltInSkill, type SkillContext, type SkillTool } from './skill.js';

/** Runs shell commands in the workspace, with all permissions of the user of the worker process. */
export class ShellSkill implements BuiltInSkill {
  readonly type = 'shell';

  tools({ folder: cwd, environment: env }: SkillContext): readonly SkillTool[] {
    return [
      {
        name: 'run_command',
        description: 'Runs a command in a shell, in the workspace, and returns what it prints',
        inputSchema: inputSchema({ command: { type: 'string', description: 'Command for /bin/sh' } }),
        call: (input, signal) => {
          const args = ['-c', textInput(input, 'command')];
          return runCommand({ command: '/bin/sh', args, cwd, env, input: '' }, signal);
        },
      },
    ];
  }
}

/** Runs Python programs in the workspace, with all permissions of the user of the worker process. */
export class PythonSkill implements BuiltInSkill {
  readonly type = 'python';

  tools({ folder: cwd, environment: env }: SkillContext): readonly SkillTool[] {
    return [
      {
        name: 'run_python',
        description: 'Runs a Python program in the workspace and returns what it prints',
        inputSchema: inputSchema({ code: { type: 'string', description: 'Source text of the program' } }),
        call: (input, signal) => {
          const code = textInput(input, 'code');
          return runCommand({ command: 'python3', args: ['-'], cwd, env, input: code }, signal);
        },
      },
    ];
  }
}
