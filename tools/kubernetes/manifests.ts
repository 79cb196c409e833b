import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { findOnPath } from '../provision/commands.js';
import { projectRoot } from '../provision/project-root.js';

export const FOLDER = join(projectRoot, 'deploy', 'kubernetes');
export const OVERLAYS = ['single-node', 'scaled'] as const;
export const hasKubectl = findOnPath('kubectl') !== undefined;
export const APP_LABEL = 'app.kubernetes.io/name';

export type Labels = Readonly<Record<string, string>>;

export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values: string[] }[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly image: string;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly securityContext: object;
  readonly resources: { readonly requests: Labels; readonly limits: Labels };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface PodSpec {
  readonly containers: readonly [Container];
  readonly initContainers?: never;
  readonly securityContext: object;
  readonly terminationGracePeriodSeconds: number;
  readonly volumes: readonly { readonly name: string }[];
  readonly topologySpreadConstraints: readonly { readonly labelSelector: Selector }[];
}

export interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

export interface PolicyRule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports: readonly { readonly port: number }[];
}

/** The fields that the tests read, of all kinds. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly data?: Labels;
  readonly spec: {
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    readonly selector: Selector & Labels;
    readonly ports?: readonly { readonly port: number; readonly targetPort: string }[];
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly PolicyRule[];
    readonly egress?: readonly PolicyRule[];
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    readonly metrics: readonly { readonly external: { readonly metric: { readonly name: string } } }[];
  };
}

/** Returns the objects that kustomize makes of a folder. */
export function render(folder: string): Manifest[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`kubectl kustomize ${folder} failed: ${stderr}`);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

export function ofKind(manifests: readonly Manifest[], kind: string): Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

export function labelsOf(deployment: Manifest): Labels {
  return deployment.spec.template.metadata.labels;
}

export function containerOf(deployment: Manifest): Container {
  return deployment.spec.template.spec.containers[0];
}

/** Throws for operators that the manifests do not use. */
export function matches({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`Unknown operator ${operator}`);
      return values.includes(labels[key] ?? '');
    })
  );
}

/** Returns the variables that a container gets with a value, from ConfigMaps and directly. */
export function settingsOf(deployment: Manifest, manifests: readonly Manifest[]): Record<string, string> {
  const { env = [], envFrom = [] } = containerOf(deployment);
  const maps = envFrom.map(({ configMapRef }) => {
    const map = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef.name);
    if (map?.data === undefined) throw new Error(`No ConfigMap ${configMapRef.name}`);
    return map.data;
  });
  const direct = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return Object.assign({}, ...maps, Object.fromEntries(direct)) as Record<string, string>;
}
