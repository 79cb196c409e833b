import { describe, expect, it } from '@jest/globals';
import { ADDRESSABLE_PATTERN, isUuid } from '@app/kernel';
import fc from 'fast-check';
import { readGatewayModels, type GatewayModel } from './gateway-models.js';

const read = async (...data: unknown[]): Promise<readonly GatewayModel[]> =>
  (await readGatewayModels({ data }))?.models ?? [];

describe('the list of a gateway', () => {
  it('has the models of the OpenAI API, in order, with defaults for missing values', async () => {
    const listed = await read(
      { id: 'acme/large', object: 'model', created: 1, owned_by: 'acme' },
      { id: 'text-embedding-3', owned_by: 'system' },
      { id: 'other/small', name: 'Small', description: 'Quick', context_length: 8000, recommended: true },
    );
    expect(listed).toEqual([
      {
        id: expect.stringMatching(/^00000000-0000-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        value: 'acme/large',
        label: 'acme/large',
        provider: 'acme',
        model_type: 'text-generation',
        description: null,
        recommended: false,
        compatible_runtimes: ['default'],
        capabilities: {},
        pricing: {},
        display_order: 1001,
      },
      expect.objectContaining({ value: 'text-embedding-3', model_type: 'embedding', compatible_runtimes: [] }),
      expect.objectContaining({
        label: 'Small',
        provider: 'other',
        description: 'Quick',
        recommended: true,
        capabilities: { max_input_tokens: 8000 },
        display_order: 1003,
      }),
    ]);
  });

  it('has the prices and capabilities in the model information of LiteLLM, but none of its other parameters', async () => {
    const [model] = await read({
      model_name: 'large',
      litellm_params: {
        model: 'acme/large-2026',
        api_key: 'sk-secret',
        api_base: 'http://inside',
        input_cost_per_token: 9,
        cache_read_input_token_cost: 1e-7,
      },
      model_info: {
        id: 'abc',
        mode: 'chat',
        input_cost_per_token: 0.000003,
        output_cost_per_token: 0.000015,
        output_cost_per_token_batches: null,
        max_tokens: 8192,
        max_input_tokens: 200000,
        supports_function_calling: true,
        supports_vision: true,
        supports_prompt_caching: null,
        supports_web_search: false,
        recommended: true,
      },
    });
    expect(model).toMatchObject({ value: 'large', provider: 'acme', model_type: 'multimodal', recommended: true });
    expect(model?.pricing).toEqual({
      cache_read_input_token_cost: 1e-7,
      input_cost_per_token: 0.000003,
      output_cost_per_token: 0.000015,
    });
    expect(model?.capabilities).toEqual({
      function_calling: true,
      vision: true,
      web_search: false,
      max_tokens: 8192,
      max_input_tokens: 200000,
    });
    expect(JSON.stringify(model)).not.toMatch(/sk-secret|inside/);
  });

  it('has the prices of `pricing`, which are texts, under the names that LiteLLM uses', async () => {
    const [model] =
      (await read({ id: 'a/b', pricing: { prompt: '0.0000015', completion: '2e-6', image: '1', request: 'x' } })) ?? [];
    expect(model?.pricing).toEqual({ input_cost_per_token: 0.0000015, output_cost_per_token: 0.000002 });
  });

  it('has each name once, no patterns, no names that a path cannot contain, and no models that agents cannot use', async () => {
    const listed = await readGatewayModels({
      data: [
        { model_name: 'twice', model_info: { mode: 'chat' } },
        { model_name: 'twice', model_info: { mode: 'chat', supports_vision: true } },
        { model_name: 'openai/*' },
        { model_name: 'painter', model_info: { mode: 'image_generation' } },
        { id: '../up' },
        { id: 'nul\0' },
        { id: 'x'.repeat(256) },
        { id: 7 },
        'text',
        null,
      ],
    });
    expect(listed?.models.map(({ value }) => value)).toEqual(['twice']);
    expect(listed?.omitted).toBe(9);
  });

  it('has at most 2000 models', async () => {
    const data = Array.from({ length: 3000 }, (_, n) => ({ id: `m${n}` }));
    const listed = await readGatewayModels({ data });
    expect([listed?.models.length, listed?.omitted]).toEqual([2000, 1000]);
  });

  it('gives a model the same id in every list', async () => {
    const [one, other] = [await read({ id: 'b' }, { id: 'a' }), await read({ model_name: 'a' })];
    expect(one[1]?.id).toBe(other[0]?.id);
  });

  it.each([[null], [[]], ['text'], [{}], [{ data: {} }], [{ data: [1, {}] }], [{ error: { message: 'no' } }]])(
    'does not have the form %j',
    async (answer) => expect(await readGatewayModels(answer)).toBeUndefined(),
  );

  it('is empty if the gateway lists no models', async () => {
    expect(await readGatewayModels({ object: 'list', data: [] })).toEqual({ models: [], omitted: 0 });
  });

  it('is valid whatever the gateway responds', async () => {
    const name = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'a/b', '..', '__proto__', 'x\0'));
    const key = fc.constantFrom(
      ...['model_name', 'id', 'name', 'description', 'owned_by', 'pricing', 'litellm_params', 'model_info'],
      ...['mode', 'supports___proto__', 'supports_vision', 'input_cost_per_token', 'max_tokens', 'prompt', '__proto__'],
    );
    const { entry } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, name, fc.double(), fc.boolean(), fc.constant(null), tie('entry')),
      entry: fc.array(fc.tuple(key, tie('value'))).map((pairs) => Object.fromEntries(pairs) as object),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 4 }), async (data) => {
        const models = await read(...data);
        expect(new Set(models.map(({ value }) => value)).size).toBe(models.length);
        for (const { id, value, label, provider, ...rest } of models) {
          expect(isUuid(id)).toBe(true);
          expect(ADDRESSABLE_PATTERN.test(value)).toBe(true);
          const texts = JSON.stringify([value, label, provider, rest]);
          expect(texts).not.toMatch(/\\u(0000|d[89a-f])/);
          expect(JSON.stringify(JSON.parse(texts))).toBe(texts);
        }
      }),
    );
  });
});
