import { describe, expect, it } from '@jest/globals';
import { checkFields } from './known-fields.js';
import { APPLICABLE, requireResource } from './resources.js';

function check(kind: string, fields: Record<string, unknown>, current: Record<string, unknown> | null = null): void {
  checkFields(requireResource(kind), fields, `${kind}/x`, current);
}

describe('the fields of a manifest', () => {
  it('are known, or named with those that are probably meant', () => {
    expect(() => check('agent', { name: 'x', system_promt: 'y', Description: 'z', colour: 'red' })).toThrow(
      'agent/x: unknown fields system_promt (did you mean system_prompt?), Description (did you mean description?), colour.',
    );
    expect(() => check('job', { name: 'x', trigger_type: 'manual', prompt_template: 'y' })).not.toThrow();
    expect(() => check('worker-queue', { name: 'x', environment_id: 'y', max_worker: 1 })).toThrow('max_workers?');
  });

  it('are checked in nested objects, but not in free-form ones', () => {
    expect(() => check('key', { rate_limits: { per_minut: 1 } }, {})).toThrow('rate_limits.per_minut (did you mean');
    expect(() => check('agent', { name: 'x', configuration: { anything: 1 }, llm_config: { tempo: 1 } })).not.toThrow();
  });

  it('may repeat those of the resource, as a file of `get -o yaml` does', () => {
    const current = { id: '1', name: 'x', created_at: 't' };
    expect(() => check('agent', { ...current }, current)).not.toThrow();
    expect(() => check('agent', { id: '1' })).toThrow('unknown field id');
  });

  it('are known for every kind that can be applied', () => {
    for (const { kind, knownBy = ['name'] } of APPLICABLE) {
      expect(() => check(kind, Object.fromEntries(knownBy.map((field) => [field, 'x'])))).not.toThrow();
      expect(() => check(kind, { surely_unknown: 1 })).toThrow('unknown field surely_unknown');
    }
  });
});
