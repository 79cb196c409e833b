import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { runCommand } from '../workspace/bounded-command.js';
import { inputSchema, textInput, type BuiltInSkill, type SkillContext, type SkillTool } from './skill.js';

/** A reference to an image. It never begins with a dash, which would make it an option. */
const IMAGE = /^[A-Za-z0-9][\w./:@-]{0,254}$/;
const REMOVE_TIMEOUT_MS = 10_000;
/** Limits of a container. */
const LIMITS = ['--memory', '512m', '--cpus', '1', '--pids-limit', '256', '--security-opt', 'no-new-privileges'];

/**
 * Runs containers without privileges; the workspace is the only folder of the machine that they can access. The Docker
 * client does not get the variables of the run, which could change its behavior. In the configuration, `images` lists
 * the allowed images (default: any), and `network: true` gives containers a network.
 */
export class DockerSkill implements BuiltInSkill {
  readonly type = 'docker';

  tools(context: SkillContext): readonly SkillTool[] {
    return [
      {
        name: 'run_container',
        description: 'Runs a command in a container, with the workspace as its folder, and returns what it prints',
        inputSchema: inputSchema({
          image: { type: 'string', description: 'Image, for example alpine:3' },
          command: { type: 'string', description: 'Command for /bin/sh of the image' },
        }),
        call: (input, signal) => runContainer(context, imageOf(input, context.configuration), input, signal),
      },
    ];
  }
}

function imageOf(input: JsonObject, { images }: JsonObject): string {
  const image = textInput(input, 'image');
  if (!IMAGE.test(image)) throw new Error('The input image is not a reference to an image');
  if (Array.isArray(images) && !images.includes(image)) {
    throw new Error(`The image ${image} is not allowed; allowed images: ${images.map(String).join(', ')}`);
  }
  return image;
}

async function runContainer(
  { folder, inherited: env, configuration }: SkillContext,
  image: string,
  input: JsonObject,
  signal: AbortSignal,
): Promise<string> {
  const name = `agent-run-${randomUUID()}`;
  const network = configuration['network'] === true ? [] : ['--network', 'none'];
  const mount = ['--volume', `${folder}:/workspace`, '--workdir', '/workspace', ...userOf()];
  const options = ['run', '--rm', '--name', name, ...network, ...LIMITS, ...mount];
  const args = [...options, '--entrypoint', '/bin/sh', image, '-c', textInput(input, 'command')];
  const docker = { command: 'docker', cwd: folder, env, input: '' };
  try {
    return await runCommand({ ...docker, args }, signal);
  } catch (error) {
    // The container is a child of the Docker daemon, so killing the client does not end it.
    const removal = runCommand({ ...docker, args: ['rm', '--force', name] }, AbortSignal.timeout(REMOVE_TIMEOUT_MS));
    await removal.catch(() => undefined);
    throw error;
  }
}

/** The files that a container writes belong to the user of the worker. */
function userOf(): string[] {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  return user === undefined || group === undefined ? [] : ['--user', `${user}:${group}`];
}
