import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../provision/project-root.js';

/** Each image is built by `docker/<name>.Dockerfile`. */
export const IMAGES = ['control-plane', 'platform-api', 'tool-server', 'worker'] as const;
export type ImageName = (typeof IMAGES)[number];

/** A registry `localhost` is never pulled from: a cluster that lacks the image fails instead of running another one. */
export const DEFAULT_PREFIX = 'localhost/agent-platform';

export function productVersion(): string {
  return (JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }).version;
}

export function imageReference(name: ImageName, { prefix, tag }: { prefix: string; tag: string }): string {
  return `${prefix}/${name}:${tag}`;
}
