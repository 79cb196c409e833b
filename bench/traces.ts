import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { inTurn, toFigure, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';

const SENDERS = 4;
const TRACES_PER_BATCH = 100;
const SPANS_PER_TRACE = 10;
const SPANS_PER_BATCH = TRACES_PER_BATCH * SPANS_PER_TRACE;
const TREE_SPANS = 10_000;
const START = 1_764_227_000_000_000_000n;

/** A table like that of the spans, without partitions. */
const BARE_TABLE = 'CREATE TABLE IF NOT EXISTS bare_spans (LIKE spans INCLUDING ALL)';
const BARE_COLUMNS =
  'day, organization_id, trace_id, span_id, id, parent_span_id, name, kind, category, status_code, start_time_unix_nano, end_time_unix_nano, event_count, resource_digest, bytes, fields';
const COPY_SPANS = `COPY bare_spans (${BARE_COLUMNS}) FROM STDIN`;
const SELECT_SPANS =
  'SELECT * FROM spans WHERE organization_id = $1 AND trace_id = $2 AND day = $3 ORDER BY start_time_unix_nano, span_id';

interface BenchSpan {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentId: Buffer | undefined;
  readonly at: number;
}

/** Received spans per second, compared with COPY; and the tree of a trace, compared with a SELECT of its rows. */
export async function traces(platform: BenchPlatform, rounds: number, seconds: number): Promise<Figure[]> {
  const databases = await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      const database = new Client({ connectionString: platform.databaseUrl });
      await database.connect();
      return database;
    }),
  );
  const [database] = databases;
  if (database === undefined) throw new Error('There is no sender');
  await database.query(BARE_TABLE);
  const ours = (): Promise<number> => perSecond(seconds, () => send(platform, batch()));
  const bare = (): Promise<number> => perSecond(seconds, (sender) => copy(databases[sender] ?? database, batch()));
  const [copied = [], received = []] = await inTurn([bare, ours], rounds);
  const figures = [
    toFigure(
      {
        name: `received spans, ${SENDERS} senders`,
        unit: 'spans/s',
        baselineIs: 'COPY into a table with the same key',
      },
      { ours: received, baseline: copied, against: [] },
    ),
    ...(await tree(platform, database, rounds)),
  ];
  for (const each of databases) await each.end();
  return figures;
}

async function tree(platform: BenchPlatform, database: Client, rounds: number): Promise<Figure[]> {
  const traceId = randomBytes(16);
  const spans = treeSpans(traceId);
  for (let at = 0; at < spans.length; at += SPANS_PER_BATCH) {
    await send(platform, spans.slice(at, at + SPANS_PER_BATCH));
  }
  const id = traceId.toString('hex');
  const { rows } = await database.query<{ organization_id: string; day: string }>(
    'SELECT organization_id, day::text AS day FROM traces WHERE trace_id = $1',
    [id],
  );
  const place = [rows[0]?.organization_id, id, rows[0]?.day];
  const select = async (): Promise<void> => {
    if ((await database.query(SELECT_SPANS, place)).rows.length !== TREE_SPANS) throw new Error('Spans are missing');
  };
  const headers = { Authorization: `Bearer ${platform.key}` };
  const read = async (path: string): Promise<void> => {
    const response = await fetch(`${platform.url}/api/v1/traces/${id}${path}`, { headers });
    if (response.status !== 200) throw new Error(`Status ${response.status}`);
    await response.arrayBuffer();
  };
  const [baseline = [], whole = [], outline = []] = await inTurn(
    [select, () => read(''), () => read('/outline')].map((request) => () => oneByOne(10, request)),
    rounds,
  );
  const name = `trace of ${TREE_SPANS} spans`;
  return [
    ...percentiles(`${name}, as a tree`, 'a SELECT of its rows', whole, baseline),
    ...percentiles(`${name}, outline`, 'a SELECT of its rows', outline, baseline),
  ];
}

/** Returns how many spans per second all senders together store. */
async function perSecond(seconds: number, store: (sender: number) => Promise<void>): Promise<number> {
  const started = performance.now();
  const end = started + seconds * 1000;
  let batches = 0;
  await Promise.all(
    Array.from({ length: SENDERS }, async (_sender, sender) => {
      while (performance.now() < end) {
        await store(sender);
        batches += 1;
      }
    }),
  );
  return (batches * SPANS_PER_BATCH * 1000) / (performance.now() - started);
}

function batch(): BenchSpan[] {
  return Array.from({ length: TRACES_PER_BATCH }).flatMap(() => {
    const traceId = randomBytes(16);
    const root = randomBytes(8);
    return Array.from({ length: SPANS_PER_TRACE }, (_span, at): BenchSpan => {
      return { traceId, spanId: at === 0 ? root : randomBytes(8), parentId: at === 0 ? undefined : root, at };
    });
  });
}

/** Each span is a child of one of the spans before it. */
function treeSpans(traceId: Buffer): BenchSpan[] {
  const ids = Array.from({ length: TREE_SPANS }, () => randomBytes(8));
  return ids.map((spanId, at): BenchSpan => {
    return { traceId, spanId, parentId: at === 0 ? undefined : ids[Math.floor(at / 3)], at };
  });
}

async function send({ url, key }: BenchPlatform, spans: readonly BenchSpan[]): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-protobuf' };
  const response = await fetch(`${url}/v1/traces`, { method: 'POST', headers, body: encode(spans) });
  if (response.status !== 200 || (await response.arrayBuffer()).byteLength > 0) throw new Error('Spans were refused');
}

function encode(spans: readonly BenchSpan[]): Uint8Array<ArrayBuffer> {
  const scope = new BinaryWriter();
  for (const span of spans) message(scope, 2, (out) => encodeSpan(out, span));
  const resource = new BinaryWriter();
  message(resource, 1, (out) => message(out, 1, (attribute) => keyValue(attribute, 'service.name', 'bench')));
  resource.tag(2, WireType.LengthDelimited).bytes(scope.finish());
  const request = new BinaryWriter();
  return request.tag(1, WireType.LengthDelimited).bytes(resource.finish()).finish();
}

function encodeSpan(out: BinaryWriter, { traceId, spanId, parentId, at }: BenchSpan): void {
  out.tag(1, WireType.LengthDelimited).bytes(traceId).tag(2, WireType.LengthDelimited).bytes(spanId);
  if (parentId !== undefined) out.tag(4, WireType.LengthDelimited).bytes(parentId);
  out.tag(5, WireType.LengthDelimited).string('GET /orders').tag(6, WireType.Varint).uint32(2);
  const start = START + BigInt(at) * 1_000_000n;
  out
    .tag(7, WireType.Bit64)
    .fixed64(start)
    .tag(8, WireType.Bit64)
    .fixed64(start + 5_000_000n);
  for (const [key, value] of ATTRIBUTES) message(out, 9, (attribute) => keyValue(attribute, key, value));
}

const ATTRIBUTES = [
  ['http.request.method', 'GET'],
  ['url.path', '/orders/17'],
  ['server.address', 'shop.example.com'],
  ['user_agent.original', 'bench/1.0 (a user agent of usual length)'],
] as const;
/** As long as the platform stores it. */
const FIELDS = JSON.stringify({ attributes: Object.fromEntries(ATTRIBUTES), others: 'x'.repeat(440) });

function keyValue(out: BinaryWriter, key: string, value: string): void {
  out.tag(1, WireType.LengthDelimited).string(key);
  message(out, 2, (any) => any.tag(1, WireType.LengthDelimited).string(value));
}

function message(out: BinaryWriter, field: number, write: (out: BinaryWriter) => void): void {
  const inner = new BinaryWriter();
  write(inner);
  out.tag(field, WireType.LengthDelimited).bytes(inner.finish());
}

async function copy(database: Client, spans: readonly BenchSpan[]): Promise<void> {
  const lines = spans.map((span) => `${rowOf(span).join('\t')}\n`);
  await pipeline(Readable.from([lines.join('')]), database.query(copyFrom(COPY_SPANS)));
}

/** In the order of `BARE_COLUMNS`. */
function rowOf({ traceId, spanId, parentId, at }: BenchSpan): readonly string[] {
  const [trace, span, parent] = [traceId.toString('hex'), spanId.toString('hex'), parentId?.toString('hex') ?? '\\N'];
  const start = START + BigInt(at) * 1_000_000n;
  return [
    ...['2026-11-27', 'bench', trace, span, `${trace}-${span}`, parent, 'GET /orders', 'SERVER', 'http', 'UNSET'],
    ...[String(start), String(start + 5_000_000n), '0', 'digest', '1200', FIELDS],
  ];
}
