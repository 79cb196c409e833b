import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { describeConsole } from '../support/console-desk.js';
import { otlpRequest } from '../support/otlp-request.js';

describeConsole('the pages of the traces', (desk) => {
  beforeAll(() => desk.platform.startWorker());

  const treegrid = () => desk.page.getByRole('treegrid', { name: 'Spans' });
  const selected = () => treegrid().locator('tr[aria-selected="true"]');

  it('show where the time of an execution went, from its page', async () => {
    const id = await desk.user.execute(await desk.user.newAgent({ name: 'timed' }), 'Go');
    await desk.user.waitUntilEnded(id);
    await desk.open(`/executions/${id}`);
    await desk.page.getByRole('link', { name: /^[0-9a-f]{32}$/ }).click();
    await desk.page.getByRole('heading', { name: 'execution timed' }).waitFor();
    await treegrid().getByText('invoke_agent timed').click();
    await desk.page.getByRole('heading', { name: 'Span invoke_agent timed' }).waitFor();
    await desk.page.getByRole('figure', { name: 'Attributes', exact: true }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('link', { name: 'Traces' }).click();
    await desk.page.getByRole('row', { name: /^execution timed/ }).waitFor();
    await desk.page.getByRole('textbox', { name: 'Service' }).fill('no such service');
    await desk.page.getByRole('button', { name: 'Find', exact: true }).click();
    await desk.page.getByText('No trace matches.').waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('show a trace without a span, and its spans when they are stored', async () => {
    const queueId = await desk.user.newQueue('unserved');
    const id = await desk.user.execute(await desk.user.newAgent({ name: 'queued' }), 'Go', queueId);
    await desk.open(`/executions/${id}`);
    await desk.page.getByRole('link', { name: /^[0-9a-f]{32}$/ }).click();
    await desk.page.getByText('No span yet.').waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.user.cancel(id);
    await desk.page.getByRole('heading', { name: 'execution queued' }).waitFor();
    await treegrid().getByText('trigger api').waitFor();
  });

  it('draw a trace of 5,000 spans with few rows, and are steered by keys', async () => {
    const traceId = randomBytes(16).toString('hex');
    await store(traceId, 5000);
    await desk.open(`/traces/${traceId}`);
    await desk.page.getByText('5000 spans').waitFor();
    await treegrid().getByText('span 0', { exact: true }).waitFor();
    expect(await treegrid().locator('tr[aria-level]').count()).toBeLessThan(60);
    await treegrid().focus();
    await desk.page.keyboard.press('End');
    await treegrid().getByText('span 4999', { exact: true }).waitFor();
    await eventually(async () => expect(await selected().textContent()).toContain('span 4999'));
    await desk.page.keyboard.press('e');
    await eventually(async () => expect(await selected().textContent()).toContain('span 2500'));
    await desk.page.getByRole('heading', { name: 'Span span 2500' }).waitFor();
    const address = desk.page.url();
    await desk.page.keyboard.press('+');
    await eventually(() => expect(desk.page.url()).toMatch(/[?&]t0=\d+&t1=\d+/));
    await desk.page.keyboard.press('0');
    await eventually(() => expect(desk.page.url()).toBe(address));
    await desk.page.keyboard.press('Home');
    await desk.page.keyboard.press('ArrowLeft');
    await eventually(async () => expect(await treegrid().locator('tr[aria-level]').count()).toBe(1));
    await treegrid().getByText('(✕ below)').waitFor();
  });

  it('show the same spans as a table, and move the edges of the shown part, by keys', async () => {
    const traceId = randomBytes(16).toString('hex');
    await store(traceId, 1000);
    await desk.open(`/traces/${traceId}`);
    await treegrid().getByText('span 0', { exact: true }).waitFor();
    await desk.page.getByRole('slider', { name: 'Start of what is shown' }).focus();
    await desk.page.keyboard.press('PageUp');
    await eventually(() => expect(desk.page.url()).toMatch(/[?&]t0=100000&t1=1000000/));
    await desk.page.getByRole('slider', { name: 'End of what is shown' }).focus();
    await desk.page.keyboard.press('ArrowLeft');
    await eventually(() => expect(desk.page.url()).toMatch(/[?&]t0=100000&t1=990000/));
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.keyboard.press('t');
    await desk.page.waitForURL(/[?&]view=table/);
    await desk.page.getByRole('row', { name: /^span 0 1 .* 0 ns 1\.0 ms$/ }).waitFor();
    expect(await desk.page.getByRole('row').count()).toBeLessThan(150);
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.keyboard.press('j');
    await desk.page.keyboard.press('Enter');
    await desk.page.getByRole('heading', { name: 'Span span 0' }).waitFor();
    await desk.page.keyboard.press('t');
    await treegrid().waitFor();
  });

  it('fold idle time on request, and show the part that a person drags over', async () => {
    const traceId = randomBytes(16).toString('hex');
    const start = 1_800_000_000_000_000_000n;
    const minute = 60_000_000_000n;
    const spanOf = (name: string, id: number, from: bigint, to: bigint) => ({
      traceId,
      spanId: String(id).repeat(16),
      ...(id === 1 ? {} : { parentSpanId: '1'.repeat(16) }),
      name,
      startTimeUnixNano: String(start + from),
      endTimeUnixNano: String(start + to),
    });
    const spans = [
      spanOf('run', 1, 0n, 180n * minute),
      spanOf('ask', 2, 0n, 2n * minute),
      spanOf('answer', 3, 178n * minute, 180n * minute),
    ];
    await unwrap(desk.user.client.POST('/v1/traces', { body: otlpRequest(spans) as never }));
    await desk.open(`/traces/${traceId}`);
    const widthOf = async (name: string): Promise<number> => {
      const bar = treegrid().getByRole('row', { name }).locator('td').nth(1).locator('span').last();
      return (await bar.boundingBox())?.width ?? 0;
    };
    await treegrid().getByText('answer').waitFor();
    const before = await widthOf('answer');
    await desk.page.getByRole('button', { name: '97 % waiting · fold' }).click();
    await desk.page.waitForURL('**?idle=fold');
    await eventually(async () => expect(await widthOf('answer')).toBeGreaterThan(before * 10));
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    const strip = await desk.page.getByTestId('brush').boundingBox();
    if (strip === null) throw new Error('There is no strip to drag over');
    await desk.page.mouse.move(strip.x + strip.width / 2, strip.y + 5);
    await desk.page.mouse.down();
    await desk.page.mouse.move(strip.x + strip.width, strip.y + 5, { steps: 3 });
    await desk.page.mouse.up();
    await eventually(() => {
      const { searchParams } = new URL(desk.page.url());
      expect(Number(searchParams.get('t0')) / Number(90n * minute)).toBeCloseTo(1, 1);
      expect(searchParams.get('t1')).toBe(String(180n * minute));
      expect(searchParams.get('idle')).toBe('fold');
    });
    await desk.page.getByRole('button', { name: 'Whole trace' }).click();
    await desk.page.waitForURL('**?idle=fold');
  });

  it('show the models, tokens and cost of an agent of another platform', async () => {
    const traceId = randomBytes(16).toString('hex');
    const attributes = [
      { key: 'openinference.span.kind', value: { stringValue: 'LLM' } },
      { key: 'llm.model_name', value: { stringValue: 'some-model' } },
      { key: 'llm.token_count.prompt', value: { intValue: '1000' } },
      { key: 'llm.token_count.completion', value: { intValue: '10' } },
      { key: 'llm.cost.total', value: { doubleValue: 0.25 } },
    ];
    const times = { startTimeUnixNano: '1800000000000000000', endTimeUnixNano: '1800000000001000000' };
    const span = { traceId, spanId: '1'.repeat(16), name: 'foreign request', ...times, attributes };
    await unwrap(desk.user.client.POST('/v1/traces', { body: otlpRequest([span]) as never }));
    await desk.open('/traces?search=foreign');
    await desk.page.getByRole('row', { name: /foreign request .* 1,010 0\.25 some-model$/ }).waitFor();
    await desk.page.getByRole('link', { name: 'foreign request' }).click();
    await desk.page.getByText('1,010 (1,000 in, 10 out) tokens · cost 0.25 · some-model').waitFor();
    await treegrid().getByText('foreign request').click();
    const facts = desk.page.locator('dl');
    await eventually(async () =>
      expect(await facts.innerText()).toMatch(
        /Model\s+some-model\s+Tokens\s+1,010 \(1,000 in, 10 out\)\s+Cost\s+0\.25/,
      ),
    );
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('show integers with all digits, and spans that lasted for years', async () => {
    const traceId = randomBytes(16).toString('hex');
    const attributes = [{ key: 'order', value: { intValue: '9007199254740993' } }];
    const times = { startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1800000000000000000' };
    const span = { traceId, spanId: '1'.repeat(16), name: 'years', ...times, attributes };
    await unwrap(desk.user.client.POST('/v1/traces', { body: otlpRequest([span]) as never }));
    await desk.open(`/traces/${traceId}?sel=${span.spanId}`);
    await desk.page.getByRole('figure', { name: 'Attributes', exact: true }).getByText('9007199254740993').waitFor();
    await treegrid().getByText('1666666.7 min').waitFor();
  });

  it('find pages and things by name from the keyboard', async () => {
    const id = await desk.user.newAgent({ name: 'lighthouse keeper' });
    await desk.open('/traces');
    await desk.page.getByRole('heading', { name: 'Traces' }).waitFor();
    await desk.page.keyboard.press('Control+k');
    await desk.page.getByRole('combobox', { name: 'Name or id' }).fill('keep');
    await desk.page.getByRole('option', { name: /lighthouse keeper/ }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.keyboard.press('Enter');
    await desk.page.waitForURL(`**/console/agents/${id}`);
    await desk.page.keyboard.press('Control+k');
    await desk.page.getByRole('combobox', { name: 'Name or id' }).fill('polic');
    await desk.page.getByRole('option', { name: /Policies/ }).waitFor();
    await desk.page.keyboard.press('Enter');
    await desk.page.getByRole('heading', { name: 'Policies' }).waitFor();
  });

  /** Stores a trace of a first span with all others below it; the one in the middle failed. */
  async function store(traceId: string, count: number): Promise<void> {
    const idOf = (index: number): string => (index + 1).toString(16).padStart(16, '0');
    const spans = Array.from({ length: count }, (_span, index) => ({
      traceId,
      spanId: idOf(index),
      ...(index === 0 ? {} : { parentSpanId: idOf(0) }),
      name: `span ${index}`,
      startTimeUnixNano: String(1_800_000_000_000_000_000n + BigInt(index) * 1000n),
      endTimeUnixNano: String(1_800_000_000_000_000_000n + BigInt(index === 0 ? count : index + 1) * 1000n),
      ...(index === count / 2 ? { status: { code: 2, message: 'broken' } } : {}),
    }));
    for (let start = 0; start < count; start += 1000) {
      const body = otlpRequest(spans.slice(start, start + 1000)) as never;
      await unwrap(desk.user.client.POST('/v1/traces', { body }));
    }
  }
});
