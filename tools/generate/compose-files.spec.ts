import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const ROOT = join(__dirname, '..', '..');
const DOCKER = join(ROOT, 'docker');

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** The settings of the platform and the worker. */
const SETTINGS = new Set(
  [...readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name),
);

describe.each(['compose.yaml', 'compose.scaled.yaml'])('%s', (file) => {
  const text = readFileSync(join(DOCKER, file), 'utf8');
  const compose = parse(text, { merge: true }) as Compose;
  const services = Object.entries(compose.services);
  const built = services.filter(([, { build }]) => build !== undefined);

  it('sets only settings that exist', () => {
    const unknown = built.flatMap(([name, { environment = {} }]) =>
      Object.keys(environment).flatMap((setting) => (SETTINGS.has(setting) ? [] : [`${name} ${setting}`])),
    );
    expect(built.length).toBeGreaterThan(2);
    expect(unknown).toEqual([]);
  });

  it('describes every variable that it needs', () => {
    const head = text.slice(0, text.indexOf('\nname: '));
    const needed = [...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name);
    expect([...new Set(needed)].filter((name) => !head.includes(`  ${name}`) && !head.includes(`, ${name} `))).toEqual(
      [],
    );
  });

  it('names only services, volumes and files that exist', () => {
    const missing = services.flatMap(([name, { build, depends_on: needs = [], volumes = [] }]) => [
      ...(Array.isArray(needs) ? (needs as string[]) : Object.keys(needs))
        .filter((other) => compose.services[other] === undefined)
        .map((other) => `${name} depends on ${other}`),
      ...(build !== undefined && !existsSync(resolve(DOCKER, build.context, build.dockerfile))
        ? [build.dockerfile]
        : []),
      ...volumes
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((source) =>
          source.startsWith('.') ? !existsSync(resolve(DOCKER, source)) : !(source in compose.volumes),
        ),
    ]);
    expect(missing).toEqual([]);
  });
});

describe('the balancer and the scrape configuration', () => {
  const scaled = parse(readFileSync(join(DOCKER, 'compose.scaled.yaml'), 'utf8'), { merge: true }) as Compose;

  it('name services of compose.scaled.yaml', () => {
    const balancer = readFileSync(join(DOCKER, 'haproxy.cfg'), 'utf8');
    const scraped = readFileSync(join(DOCKER, 'prometheus/prometheus.yaml'), 'utf8');
    const named = [
      ...[...balancer.matchAll(/server-template \S+ \d+ ([a-z-]+):/g)].map(([, name]) => name),
      ...[...scraped.matchAll(/names: \[([a-z-]+)\]/g)].map(([, name]) => name),
    ];
    expect(named.length).toBe(5);
    expect(named.filter((name) => scaled.services[name ?? ''] === undefined)).toEqual([]);
  });
});
