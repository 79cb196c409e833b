import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { containerOf, FOLDER, hasKubectl, labelsOf, type Labels, type Manifest, matches } from './manifests.js';
import { ofKind, OVERLAYS, type Peer, type PolicyRule, render, settingsOf } from './manifests.js';

type Direction = 'ingress' | 'egress';

/** Returns the rules of all policies that select the pod. */
function rulesOf(manifests: readonly Manifest[], labels: Labels, direction: Direction): readonly PolicyRule[] {
  return ofKind(manifests, 'NetworkPolicy')
    .filter(({ spec }) => matches(spec.podSelector, labels))
    .flatMap(({ spec }) => spec[direction] ?? []);
}

/** Returns whether a rule names the pod of this namespace with this port. */
function allows(rules: readonly PolicyRule[], labels: Labels, port: number): boolean {
  return rules.some(
    ({ from, to, ports }) =>
      ports.some((allowed) => allowed.port === port) &&
      [...(from ?? []), ...(to ?? [])].some(
        ({ podSelector, namespaceSelector }) =>
          podSelector !== undefined && namespaceSelector === undefined && matches(podSelector, labels),
      ),
  );
}

const REASON = hasKubectl ? '' : ' (skipped: kubectl is not installed)';
(hasKubectl ? describe : describe.skip).each(OVERLAYS)(`the network policies of the overlay %s${REASON}`, (overlay) => {
  const manifests = hasKubectl ? render(join(FOLDER, 'overlays', overlay)) : [];
  const deployments = ofKind(manifests, 'Deployment');
  const policies = ofKind(manifests, 'NetworkPolicy');
  const peers = policies.flatMap(({ spec }) =>
    [...(spec.ingress ?? []), ...(spec.egress ?? [])].flatMap(({ from = [], to = [] }): Peer[] => [...from, ...to]),
  );

  it('deny by default', () => {
    const denying = policies.find(({ spec }) => Object.keys(spec.podSelector).length === 0);
    expect(denying?.spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(denying?.spec).not.toHaveProperty('ingress');
    expect(denying?.spec.egress?.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([53, 53]);
  });

  it('allow nothing without naming who', () => {
    const rules = policies.flatMap(({ spec }) => [...(spec.ingress ?? []), ...(spec.egress ?? [])]);
    expect(rules.filter(({ from, to, ports }) => !(from ?? to)?.length || ports.length === 0)).toEqual([]);
    for (const peer of peers) expect(Object.keys(peer)).not.toEqual([]);
  });

  it('select only pods that exist', () => {
    const own = peers
      .filter(({ namespaceSelector }) => namespaceSelector === undefined)
      .map(({ podSelector }) => podSelector);
    for (const selector of [...policies.map(({ spec }) => spec.podSelector), ...own]) {
      if (selector === undefined) continue;
      expect(deployments.filter((deployment) => matches(selector, labelsOf(deployment)))).not.toEqual([]);
      for (const { values } of selector.matchExpressions ?? []) {
        expect(deployments.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(values));
      }
    }
  });

  it('open exactly the ports on which the pods listen', () => {
    for (const deployment of deployments) {
      const open = rulesOf(manifests, labelsOf(deployment), 'ingress').flatMap(({ ports }) =>
        ports.map(({ port }) => port),
      );
      const listening = (containerOf(deployment).ports ?? []).map(({ containerPort }) => containerPort);
      // The role without a Service is reached by Prometheus only.
      const needed = deployment.metadata.name === 'dispatcher' ? listening.filter((port) => port !== 3000) : listening;
      expect([deployment.metadata.name, new Set(open)]).toEqual([deployment.metadata.name, new Set(needed)]);
    }
  });

  it('allow the connections that the settings name, at both ends, and no others between pods', () => {
    const named = (name: string): Manifest | undefined => deployments.find(({ metadata }) => metadata.name === name);
    const needed = deployments.flatMap((caller) =>
      Object.values(settingsOf(caller, manifests)).flatMap((value) => {
        const [, name = '', port] = /^http:\/\/([a-z-]+):(\d+)$/.exec(value) ?? [];
        const called = named(name);
        return called === undefined ? [] : [{ caller, called, port: Number(port) }];
      }),
    );
    // The dispatcher and the platform API have the setting too, but only servers of the console use it.
    const used = needed.filter(({ caller }) => !['dispatcher', 'platform-api'].includes(caller.metadata.name));
    const key = (caller: Manifest, called: Manifest): string => `${caller.metadata.name} > ${called.metadata.name}`;
    expect(used.map(({ caller, called }) => key(caller, called)).toSorted()).toEqual([
      'control-plane > platform-api',
      'tool-server > platform-api',
      'worker > control-plane',
    ]);
    for (const caller of deployments) {
      for (const called of deployments) {
        const expected = used.some((use) => use.caller === caller && use.called === called);
        const ports = (containerOf(called).ports ?? []).map(({ containerPort }) => containerPort);
        const ends = (direction: Direction, pod: Manifest, peer: Manifest): boolean =>
          ports.some((port) => allows(rulesOf(manifests, labelsOf(pod), direction), labelsOf(peer), port));
        expect([key(caller, called), ends('egress', caller, called), ends('ingress', called, caller)]).toEqual([
          key(caller, called),
          expected,
          expected,
        ]);
      }
    }
  });

  it('keep link-local addresses, which are those of the metadata of a cloud, and stores from workers', () => {
    const blocks = peers.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : [ipBlock]));
    expect(blocks.length).toBeGreaterThan(0);
    for (const { cidr, except } of blocks) {
      expect(except).toContain(cidr.includes(':') ? 'fe80::/10' : '169.254.0.0/16');
    }
    const ports = rulesOf(manifests, { 'app.kubernetes.io/name': 'worker' }, 'egress').flatMap((rule) =>
      rule.ports.map(({ port }) => port),
    );
    expect(new Set(ports)).toEqual(new Set([53, 443, 3000]));
  });
});
