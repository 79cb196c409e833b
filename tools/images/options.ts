import { parseArgs } from 'node:util';
import { DEFAULT_PREFIX, productVersion } from './images.js';

export interface ImageOptions {
  /** The base image; undefined: that of the Dockerfiles. */
  readonly base: string | undefined;
  /** Registry and folder of the names of the images. */
  readonly prefix: string;
  readonly tag: string;
  /** The address of the repository, for the label of the images; undefined: they have no such label. */
  readonly source: string | undefined;
  /** Starts images that are built, instead of building them. */
  readonly isTried: boolean;
}

const REFERENCE = /^[a-z0-9][a-z0-9._:/-]*$/;
const SOURCE = /^https:\/\/[\w.-]+(?::\d+)?\/[\w./-]+$/;
const TAG = /^\w[\w.-]{0,127}$/;

/** Throws for unknown options, and for names that no registry accepts. */
export function parseOptions(args: readonly string[]): ImageOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      base: { type: 'string' },
      prefix: { type: 'string', default: DEFAULT_PREFIX },
      tag: { type: 'string', default: productVersion() },
      source: { type: 'string' },
      try: { type: 'boolean', default: false },
    },
  });
  for (const [option, value] of [
    ['--base', values.base],
    ['--prefix', values.prefix],
  ] as const) {
    if (value !== undefined && !REFERENCE.test(value))
      throw new Error(`${option} is not the name of an image: ${value}`);
  }
  if (!TAG.test(values.tag)) throw new Error(`--tag is not a tag of an image: ${values.tag}`);
  if (values.source !== undefined && !SOURCE.test(values.source))
    throw new Error(`--source is not the https address of a repository: ${values.source}`);
  return {
    base: values.base,
    prefix: values.prefix.replace(/\/$/, ''),
    tag: values.tag,
    source: values.source,
    isTried: values.try,
  };
}
