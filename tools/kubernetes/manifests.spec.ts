import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { DEFAULT_PREFIX, imageReference, IMAGES, productVersion } from '../images/images.js';
import { projectRoot } from '../provision/project-root.js';
import { APP_LABEL, containerOf, FOLDER, hasKubectl, labelsOf, type Manifest, matches } from './manifests.js';
import { ofKind, OVERLAYS, render, settingsOf } from './manifests.js';
import { typeErrors, validate } from './schemas.js';

const read = (...path: string[]): string => readFileSync(join(projectRoot, ...path), 'utf8');
const SETTINGS = new Set([...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name));
const GUIDE = read('docs/guides/kubernetes.md');
const WORKER_DISCONNECT_MS = 5_000;
const FORCED_EXIT_MS = 5_000;

/** The routes that a probe may use, by the name of the image. */
function healthRoutes(image: string): readonly string[] {
  const document = image === 'tool-server' ? undefined : read('docs/openapi', `${image}.json`);
  if (document !== undefined) return Object.keys((JSON.parse(document) as { paths: object }).paths);
  const controller = read('apps/tool-server/src/health/health.controller.ts');
  return [...controller.matchAll(/'(api\/health[a-z/]*)'/g)].map(([, route]) => `/${route}`);
}

function imageOf(deployment: Manifest): string {
  return containerOf(deployment).image.replace(/^.*\/|:.*$/g, '');
}

const REASON = hasKubectl ? '' : ' (skipped: kubectl is not installed)';
(hasKubectl ? describe : describe.skip).each(OVERLAYS)(`the overlay %s${REASON}`, (overlay) => {
  const manifests = hasKubectl ? render(join(FOLDER, 'overlays', overlay)) : [];
  const deployments = ofKind(manifests, 'Deployment');
  const named = (name: string): Manifest => deployments.find(({ metadata }) => metadata.name === name)!;

  it('has objects that Kubernetes accepts, with no unknown field', () => {
    for (const manifest of manifests) expect(() => validate(manifest)).not.toThrow();
    expect(typeErrors(manifests)).toBe('');
  });

  it('runs every image, under the name that npm run images gives it', () => {
    const built = IMAGES.map((name) => imageReference(name, { prefix: DEFAULT_PREFIX, tag: productVersion() }));
    const used = new Set(deployments.map((deployment) => containerOf(deployment).image));
    expect([...used].toSorted()).toEqual(built);
  });

  it('sets only settings that exist', () => {
    for (const deployment of deployments) {
      const { env = [] } = containerOf(deployment);
      const names = [...Object.keys(settingsOf(deployment, manifests)), ...env.map(({ name }) => name)];
      expect(names.filter((name) => !SETTINGS.has(name))).toEqual([]);
    }
  });

  it('contains no secret, and refers to the documented ones', () => {
    expect(ofKind(manifests, 'Secret')).toEqual([]);
    const used = deployments.flatMap((deployment) =>
      (containerOf(deployment).env ?? []).flatMap(({ name, valueFrom }) => {
        if (valueFrom === undefined) return [];
        expect(valueFrom.secretKeyRef.key).toBe(name);
        return [`${valueFrom.secretKeyRef.name} ${valueFrom.secretKeyRef.key}`];
      }),
    );
    const head = read('deploy/kubernetes/base/kustomization.yaml').split('\napiVersion')[0] ?? '';
    const documented = [...head.matchAll(/^# {3}(platform-[a-z]+) +(.*)$/gm)].flatMap(([, secret, keys = '']) =>
      [...keys.matchAll(/[A-Z_]+/g)].map(([key]) => `${secret} ${key}`),
    );
    expect([...new Set(used)].toSorted()).toEqual(documented.toSorted());
    expect(documented.filter((entry) => !entry.split(' ').every((word) => GUIDE.includes(`\`${word}\``)))).toEqual([]);
  });

  it('gives private values to Secrets only', () => {
    const secrets = deployments.flatMap(
      (deployment) => containerOf(deployment).env?.filter(({ valueFrom }) => valueFrom !== undefined) ?? [],
    );
    const settings = deployments.flatMap((deployment) => Object.keys(settingsOf(deployment, manifests)));
    expect(secrets.filter(({ name }) => settings.includes(name))).toEqual([]);
    expect(settings.filter((name) => /KEY|PASSWORD|TOKEN|DATABASE_URL|REDIS_URL/.test(name))).toEqual([]);
  });

  it('probes routes that exist, on the port of the image', () => {
    for (const deployment of deployments.filter(({ metadata }) => metadata.name !== 'worker')) {
      const { startupProbe, readinessProbe, livenessProbe, ports = [] } = containerOf(deployment);
      const port = ports.find(({ name }) => name === 'http')?.containerPort;
      expect(read('docker', `${imageOf(deployment)}.Dockerfile`)).toContain(`\nEXPOSE ${port}\n`);
      for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
        expect(probe?.httpGet.port).toBe('http');
        expect(healthRoutes(imageOf(deployment))).toContain(probe?.httpGet.path);
      }
      // A restart does not help if a store fails.
      expect(livenessProbe?.httpGet.path).toBe('/api/health/live');
      expect(readinessProbe?.httpGet.path).toBe('/api/health/ready');
    }
  });

  it('restricts every container, which writes to named volumes only', () => {
    expect(deployments).toHaveLength(5);
    for (const { spec } of deployments) {
      const pod = spec.template.spec;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(pod.containers).toHaveLength(1);
      const [container] = pod.containers;
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain('/tmp');
      expect(container.volumeMounts.map(({ name }) => name).toSorted()).toEqual(
        pod.volumes.map(({ name }) => name).toSorted(),
      );
    }
  });

  it('lets every pod end by itself before it is killed', () => {
    for (const deployment of deployments) {
      const settings = settingsOf(deployment, manifests);
      const number = (name: string): number => Number(settings[name]);
      const needed =
        deployment.metadata.name === 'worker'
          ? number('WORKER_SHUTDOWN_GRACE_MS') + WORKER_DISCONNECT_MS
          : number('SHUTDOWN_DRAIN_MS') + number('SHUTDOWN_GRACE_MS') + FORCED_EXIT_MS;
      expect(deployment.spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(needed);
    }
  });

  it('selects exactly the pods of one deployment', () => {
    for (const deployment of deployments) {
      const { name } = deployment.metadata;
      expect(labelsOf(deployment)[APP_LABEL]).toBe(name);
      expect(matches(deployment.spec.selector, labelsOf(deployment))).toBe(true);
      for (const { labelSelector } of deployment.spec.template.spec.topologySpreadConstraints) {
        expect(labelSelector).toEqual({ matchLabels: { [APP_LABEL]: name } });
      }
    }
    for (const { metadata, spec } of ofKind(manifests, 'Service')) {
      const selected = deployments.filter((deployment) =>
        matches({ matchLabels: spec.selector }, labelsOf(deployment)),
      );
      expect(selected.map((deployment) => deployment.metadata.name)).toEqual([metadata.name]);
      const ports = containerOf(named(metadata.name)).ports ?? [];
      for (const { port, targetPort } of spec.ports ?? []) {
        expect(ports).toContainEqual({ name: targetPort, containerPort: port });
      }
    }
    const budgets = ofKind(manifests, 'PodDisruptionBudget').map(({ spec }) =>
      deployments
        .filter((deployment) => matches(spec.selector, labelsOf(deployment)))
        .map(({ metadata }) => metadata.name),
    );
    expect(budgets.flat().toSorted()).toEqual(deployments.map(({ metadata }) => metadata.name).toSorted());
  });

  it('scales a deployment that exists and sets no number of replicas, by metrics that exist', () => {
    const scalers = ofKind(manifests, 'HorizontalPodAutoscaler');
    expect(scalers).toHaveLength(overlay === 'scaled' ? 1 : 0);
    for (const { spec } of scalers) {
      expect(named(spec.scaleTargetRef.name).spec).not.toHaveProperty('replicas');
      const metrics = spec.metrics.map(({ external }) => external.metric.name);
      expect(metrics).toContain('platform_queue_oldest_waiting_seconds');
      for (const metric of metrics) {
        expect(read('docs/guides/operations.md')).toContain(`\`${metric}\``);
        expect(GUIDE).toContain(`seriesQuery: '${metric}'`);
      }
    }
  });
});

(hasKubectl ? describe : describe.skip)(`the files of the guide${REASON}`, () => {
  const files = new Map(
    [...GUIDE.matchAll(/<!-- file: (\S+) -->\n\n```yaml\n([^]*?)```/g)].map(([, name = '', text = '']) => [name, text]),
  );

  it('make an overlay with the settings, images and ports of the platform', () => {
    const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
    try {
      cpSync(FOLDER, folder, { recursive: true });
      const mine = join(folder, 'overlays', 'mine');
      mkdirSync(mine);
      for (const name of ['kustomization.yaml', 'ingress.yaml']) writeFileSync(join(mine, name), files.get(name) ?? '');
      const manifests = render(mine);
      for (const manifest of manifests) expect(() => validate(manifest)).not.toThrow();
      expect(typeErrors([...manifests, parse(files.get('models.yaml') ?? '') as Manifest])).toBe('');
      for (const deployment of ofKind(manifests, 'Deployment')) {
        expect(containerOf(deployment).image).toMatch(
          /^registry\.example\.com\/agent-platform\/[a-z-]+:\d+\.\d+\.\d+$/,
        );
        const settings = Object.entries(settingsOf(deployment, manifests));
        expect(settings.filter(([name]) => !SETTINGS.has(name))).toEqual([]);
        expect(settings.filter(([, value]) => value.includes('platform.example.com'))).toEqual([]);
      }
      const services = ofKind(manifests, 'Service').map(({ metadata }) => metadata.name);
      const [ingress] = ofKind(manifests, 'Ingress');
      const named = [...JSON.stringify(ingress).matchAll(/"service":\{"name":"([a-z-]+)"/g)].map(([, name]) => name);
      expect(new Set(named)).toEqual(new Set(services));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('scrape the port of metrics that the pods have', () => {
    const scrape = files.get('scrape.yaml') ?? '';
    const [, name] = /container_port_name\], regex: ([a-z]+)/.exec(scrape) ?? [];
    const pods = ofKind(render(join(FOLDER, 'overlays', 'scaled')), 'Deployment');
    const scraped = pods.filter((pod) => containerOf(pod).ports?.some((port) => port.name === name));
    const jobs = /job=~"([^"]+)"/.exec(read('docker/prometheus/alerts.yaml'))?.[1]?.split('|');
    expect(scraped.map(({ metadata }) => metadata.name).toSorted()).toEqual(jobs?.toSorted());
  });
});
