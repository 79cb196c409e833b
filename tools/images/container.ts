import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandSucceeds, findOnPath, runCommand } from '../provision/commands.js';
import { ProvisionError } from '../provision/provision-error.js';
import { ServerProcess } from '../provision/server-process.js';
import type { Builder } from './builder.js';

export interface ContainerOptions {
  readonly name: string;
  readonly reference: string;
  readonly env: Readonly<Record<string, string>>;
  /** For the log and the runtime's files of the container. */
  readonly folder: string;
}

export interface Container {
  readonly name: string;
  readonly logFile: string;
  readonly running: ServerProcess;
  /** Deletes what the builder made for the container, which must have ended. */
  remove(): Promise<void>;
}

/** Returns why containers cannot be started, or undefined if they can. */
export function faultOfRuntime({ program }: Builder): string | undefined {
  if (program !== 'buildah') return undefined;
  if (process.getuid?.() !== 0) return 'containers of buildah are started by root only';
  if (findOnPath('crun') === undefined) return 'crun is not installed (apt install crun)';
  return commandSucceeds('unshare', ['--mount', 'true']) ? undefined : 'this machine allows no mount namespaces';
}

/**
 * Starts a container as a restricted cluster does: with a read-only root, without capabilities and with /tmp as its only
 * writable folder. It shares the network of this machine, and runs as the user of its image.
 */
export function startContainer(builder: Builder, options: ContainerOptions): Promise<Container> {
  mkdirSync(options.folder, { recursive: true });
  return builder.program === 'buildah' ? startWithCrun(builder, options) : startWithEngine(builder, options);
}

async function startWithEngine({ program, options }: Builder, container: ContainerOptions): Promise<Container> {
  const { name, reference, env, folder } = container;
  const restrictions = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--tmpfs', '/tmp'];
  // Only the names are arguments, because other users can read those.
  const variables = Object.keys(env).flatMap((variable) => ['--env', variable]);
  const logFile = join(folder, `${name}.log`);
  const running = await ServerProcess.start({
    command: program,
    args: [...options, 'run', '--rm', '--network', 'host', ...restrictions, ...variables, reference],
    parentDeathSignal: 'SIGTERM',
    logFile,
    env: { ...process.env, ...env },
  });
  return { name, logFile, running, remove: async () => undefined };
}

/** The configuration in an image, as the OCI image specification defines it. */
interface ImageConfig {
  readonly Env?: readonly string[];
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly WorkingDir?: string;
  readonly User?: string;
}

async function startWithCrun(builder: Builder, { name, reference, env, folder }: ContainerOptions): Promise<Container> {
  const id = await buildah(builder, ['from', '--pull-never', reference]);
  const root = await buildah(builder, ['mount', id]);
  const inspected = await buildah(builder, ['inspect', '--type', 'image', reference]);
  const { config } = (JSON.parse(inspected) as { readonly OCIv1: { readonly config: ImageConfig } }).OCIv1;
  const bundle = join(folder, name);
  mkdirSync(bundle, { recursive: true, mode: 0o700 });
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(runtimeConfig(root, config, env)), { mode: 0o600 });
  const logFile = join(folder, `${name}.log`);
  const running = await ServerProcess.start({
    command: 'unshare',
    args: ['--mount', 'sh', '-c', RUN, 'sh', bundle, id],
    parentDeathSignal: 'SIGTERM',
    logFile,
  });
  const remove = async (): Promise<void> => {
    // It is left only if it was killed.
    await runCommand('crun', ['delete', '--force', id]);
    await buildah(builder, ['rm', id]);
  };
  return { name, logFile, running, remove };
}

/**
 * crun rejects both versions of cgroups at once; the container has no group of its own. It does not forward signals.
 */
const RUN = `if grep -q ' /sys/fs/cgroup/unified ' /proc/mounts; then umount /sys/fs/cgroup/unified; fi
crun --cgroup-manager=disabled run --bundle "$1" "$2" & child=$!
trap 'crun kill "$2" TERM' TERM
wait $child; code=$?
while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
exit $code`;

/** Returns the configuration of the OCI runtime specification. */
function runtimeConfig(root: string, image: ImageConfig, env: Readonly<Record<string, string>>): object {
  const [uid, gid] = (image.User ?? '').split(':').map(Number);
  if (!uid || !gid) throw new Error(`The image has no numeric user other than root: ${image.User}`);
  const temporary = { type: 'tmpfs', source: 'tmpfs' };
  return {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args: [...(image.Entrypoint ?? []), ...(image.Cmd ?? [])],
      env: [...(image.Env ?? []), ...Object.entries(env).map(([variable, value]) => `${variable}=${value}`)],
      cwd: image.WorkingDir || '/',
      noNewPrivileges: true,
      capabilities: { bounding: [], effective: [], permitted: [] },
    },
    root: { path: root, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', ...temporary, options: ['nosuid', 'mode=755'] },
      { destination: '/tmp', ...temporary, options: ['nosuid', 'nodev', 'mode=1777'] },
    ],
    linux: {
      namespaces: ['pid', 'mount', 'ipc', 'uts'].map((type) => ({ type })),
      maskedPaths: ['/proc/kcore', '/proc/keys'],
      readonlyPaths: ['/proc/sys'],
    },
  };
}

async function buildah({ program, options }: Builder, args: readonly string[]): Promise<string> {
  const { code, output } = await runCommand(program, [...options, ...args]);
  if (code === 0) return output.trim();
  throw new ProvisionError(`"${program} ${args.join(' ')}" failed.`, output.trim());
}
