// `npm run images [-- --base IMAGE --prefix REGISTRY/FOLDER --tag TAG --source URL]`: builds the images of docker/*.Dockerfile with
// docker, podman or buildah and prints their sizes. With --try it starts each of them instead.
import { join } from 'node:path';
import { runCommand } from '../provision/commands.js';
import { projectRoot } from '../provision/project-root.js';
import { describeFailure, ProvisionError } from '../provision/provision-error.js';
import { type Builder, build, findBuilder, sizeOf } from './builder.js';
import { type ImageName, imageReference, IMAGES } from './images.js';
import { type ImageOptions, parseOptions } from './options.js';
import { tryImages } from './try-images.js';

/** EX_USAGE and EX_UNAVAILABLE of sysexits.h. */
const EXIT_USAGE = 64;
const EXIT_UNAVAILABLE = 69;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: ImageOptions;
  try {
    options = parseOptions(args);
  } catch (error) {
    console.error((error as Error).message);
    return EXIT_USAGE;
  }
  try {
    await run(options, findBuilder());
    return 0;
  } catch (error) {
    console.error(describeFailure(error));
    return error instanceof ProvisionError ? EXIT_UNAVAILABLE : 1;
  }
}

async function run(options: ImageOptions, builder: Builder): Promise<void> {
  const reference = (name: ImageName): string => imageReference(name, options);
  if (options.isTried) return tryImages({ builder, reference, print: (line) => console.log(`==> ${line}`) });
  const buildArguments = {
    ...(options.base === undefined ? {} : { BASE_IMAGE: options.base }),
    VERSION: options.tag,
    REVISION: await revision(),
  };
  const labels = options.source === undefined ? {} : { 'org.opencontainers.image.source': options.source };
  for (const name of IMAGES) {
    console.error(`==> ${reference(name)} with ${builder.program}`);
    const dockerfile = join('docker', `${name}.Dockerfile`);
    build(builder, { reference: reference(name), dockerfile, buildArguments, labels });
  }
  for (const name of IMAGES) console.log(`${(await sizeOf(builder, reference(name))).padStart(8)}  ${reference(name)}`);
}

/** The commit of the clone; without one, as in an archive of the sources: unknown. */
async function revision(): Promise<string> {
  const { code, output } = await runCommand('git', ['rev-parse', 'HEAD'], { cwd: projectRoot });
  return code === 0 ? output.trim() : 'unknown';
}
