import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { commandSucceeds, findOnPath, runCommand } from '../provision/commands.js';
import { projectRoot } from '../provision/project-root.js';
import { ProvisionError } from '../provision/provision-error.js';

/** A program that builds and runs images. */
export interface Builder {
  readonly program: 'docker' | 'podman' | 'buildah';
  /** Options before its commands. */
  readonly options: readonly string[];
}

export interface BuiltImage {
  readonly reference: string;
  readonly dockerfile: string;
  readonly buildArguments: Readonly<Record<string, string>>;
  /** In addition to those of the Dockerfile. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the first usable one of docker, podman and buildah. Throws a ProvisionError that says why none is usable. */
export function findBuilder(): Builder {
  const reasons: string[] = [];
  for (const { program, probe } of PROGRAMS) {
    if (findOnPath(program) === undefined) reasons.push(`${program} is not installed`);
    else if (!commandSucceeds(program, probe)) reasons.push(`"${program} ${probe.join(' ')}" fails`);
    else return { program, options: program === 'buildah' ? ['--storage-driver', storageDriver()] : [] };
  }
  throw new ProvisionError(
    `No program can build images: ${reasons.join(', ')}.`,
    'Start Docker, or install a builder that needs no server (apt install buildah).',
  );
}

const PROGRAMS = [
  // Also fails if no server is reachable.
  { program: 'docker', probe: ['version'] },
  { program: 'podman', probe: ['info'] },
  { program: 'buildah', probe: ['--version'] },
] as const;

/** vfs works on every file system, but copies the whole image in each step. */
function storageDriver(): string {
  return (
    process.env['STORAGE_DRIVER'] ||
    (commandSucceeds('buildah', ['--storage-driver', 'overlay', 'info']) ? 'overlay' : 'vfs')
  );
}

/** Returns the arguments of the program that build an image from this folder. */
export function buildCommand({ program, options }: Builder, image: BuiltImage): string[] {
  return [
    ...options,
    'build',
    ...(program === 'docker' ? [] : ['--layers', '--format', 'docker']),
    // Needs no namespaces, so that images can be built inside a container.
    ...(program === 'buildah' ? ['--isolation', 'chroot'] : []),
    ...registrySecrets(),
    ...Object.entries(image.buildArguments).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...Object.entries(image.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...['--file', image.dockerfile, '--tag', image.reference, '.'],
  ];
}

/** Builds an image and shows the progress on standard error. */
export function build(builder: Builder, image: BuiltImage): void {
  // Docker passes secrets only with BuildKit.
  const env = { ...process.env, DOCKER_BUILDKIT: '1' };
  const { status, error } = spawnSync(builder.program, buildCommand(builder, image), {
    cwd: projectRoot,
    stdio: ['ignore', 2, 2],
    env,
  });
  if (status === 0) return;
  const reason = error?.message ?? `exit code ${status}`;
  throw new ProvisionError(`${image.reference} could not be built (${reason}).`, 'See the output of the build above.');
}

/** Returns the size of an image as the builder prints it. */
export async function sizeOf({ program, options }: Builder, reference: string): Promise<string> {
  const { code, output } = await runCommand(program, [...options, 'images', '--format', '{{.Size}}', reference]);
  return code === 0 ? (output.trim().split('\n')[0] ?? '') : 'unknown';
}

/** The npm settings of this user and its additional authority, which a registry of the operator can require. */
function registrySecrets(): string[] {
  const files = {
    npmrc: process.env['NPM_CONFIG_USERCONFIG'] || join(homedir(), '.npmrc'),
    ca: process.env['NODE_EXTRA_CA_CERTS'],
  };
  return Object.entries(files).flatMap(([id, path]) =>
    path && existsSync(path) ? ['--secret', `id=${id},src=${path}`] : [],
  );
}
