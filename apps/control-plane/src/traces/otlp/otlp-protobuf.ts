import {
  MAX_ATTRIBUTE_DEPTH,
  type Attributes,
  type AttributeValue,
  type Received,
  type SentEvent,
  type SentLink,
} from '@app/traces';
import { itemCounter, valueCounter, type DecodingCounter } from './decoding-limits.js';
import {
  boolField,
  bytesField,
  doubleField,
  fixed64Field,
  int64Field,
  integerField,
  readMessage,
  stringField,
} from './protobuf-fields.js';
import { emptySpan, scopeAttributes, undecodable, type DecodedScope, type DecodedSpan } from './received-span.js';

/**
 * Decodes an `ExportTraceServiceRequest`. The numbers are those of the fields in the messages of
 * opentelemetry.proto.trace.v1. Throws if the request is broken outside its spans; a broken span is a fault of its own.
 */
export function* spansOfProtobuf(bytes: Uint8Array): Generator<Received> {
  const items = itemCounter();
  for (const resourceSpans of messagesOf(bytes, 1, items)) {
    let attributes: Attributes = new Map();
    const values = valueCounter();
    readMessage(resourceSpans, { 1: bytesField((resource) => (attributes = attributesOf(resource, 1, values))) });
    const resource = { attributes };
    for (const scopeSpans of messagesOf(resourceSpans, 2, items)) {
      const scope = scopeOf(scopeSpans);
      for (const span of messagesOf(scopeSpans, 2, items)) {
        try {
          yield { resource, scope, span: spanOf(span) };
        } catch (error) {
          yield undecodable(error);
        }
      }
    }
  }
}

/** Returns the messages in a repeated field. */
function messagesOf(bytes: Uint8Array, field: number, counter: DecodingCounter): Uint8Array[] {
  const messages: Uint8Array[] = [];
  const add = (message: Uint8Array): void => {
    counter.add(1);
    messages.push(message);
  };
  readMessage(bytes, { [field]: bytesField(add) });
  return messages;
}

function scopeOf(scopeSpans: Uint8Array): Attributes {
  let scope: DecodedScope = { name: '', version: '', attributes: new Map() };
  const values = valueCounter();
  readMessage(scopeSpans, {
    1: bytesField((bytes) =>
      readMessage(bytes, {
        1: stringField((name) => (scope = { ...scope, name })),
        2: stringField((version) => (scope = { ...scope, version })),
        3: bytesField((attribute) => addAttribute(scope.attributes, attribute, values)),
      }),
    ),
  });
  return scopeAttributes(scope);
}

function spanOf(bytes: Uint8Array): DecodedSpan {
  const span = emptySpan();
  const events: SentEvent[] = [];
  const links: SentLink[] = [];
  const values = valueCounter();
  readMessage(bytes, {
    1: bytesField((id) => (span.trace_id = hexadecimal(id))),
    2: bytesField((id) => (span.span_id = hexadecimal(id))),
    3: stringField((state) => (span.trace_state = state)),
    4: bytesField((id) => (span.parent_span_id = hexadecimal(id))),
    5: stringField((name) => (span.name = name)),
    6: integerField((kind) => (span.kind = kind)),
    7: fixed64Field((time) => (span.start_time_unix_nano = time)),
    8: fixed64Field((time) => (span.end_time_unix_nano = time)),
    9: bytesField((attribute) => addAttribute(span.attributes, attribute, values)),
    10: integerField((count) => (span.dropped_attributes_count = count)),
    11: bytesField((event) => events.push(eventOf(event, values))),
    12: integerField((count) => (span.dropped_events_count = count)),
    13: bytesField((link) => links.push(linkOf(link, values))),
    14: integerField((count) => (span.dropped_links_count = count)),
    15: bytesField((status) =>
      readMessage(status, {
        2: stringField((message) => (span.status_message = message)),
        3: integerField((code) => (span.status_code = code)),
      }),
    ),
  });
  return { ...span, events, links };
}

function eventOf(bytes: Uint8Array, values: DecodingCounter): SentEvent {
  values.add(1);
  let event: SentEvent = { name: '', time_unix_nano: 0n, attributes: new Map(), dropped_attributes_count: 0 };
  readMessage(bytes, {
    1: fixed64Field((time_unix_nano) => (event = { ...event, time_unix_nano })),
    2: stringField((name) => (event = { ...event, name })),
    3: bytesField((attribute) => addAttribute(event.attributes, attribute, values)),
    4: integerField((dropped_attributes_count) => (event = { ...event, dropped_attributes_count })),
  });
  return event;
}

function linkOf(bytes: Uint8Array, values: DecodingCounter): SentLink {
  values.add(1);
  const attributes: Attributes = new Map();
  let link: SentLink = { trace_id: '', span_id: '', trace_state: '', attributes, dropped_attributes_count: 0 };
  readMessage(bytes, {
    1: bytesField((id) => (link = { ...link, trace_id: hexadecimal(id) })),
    2: bytesField((id) => (link = { ...link, span_id: hexadecimal(id) })),
    3: stringField((trace_state) => (link = { ...link, trace_state })),
    4: bytesField((attribute) => addAttribute(link.attributes, attribute, values)),
    5: integerField((dropped_attributes_count) => (link = { ...link, dropped_attributes_count })),
  });
  return link;
}

/** Returns the `KeyValue`s in a repeated field. */
function attributesOf(bytes: Uint8Array, field: number, values: DecodingCounter, depth = 0): Attributes {
  const attributes = new Map<string, AttributeValue>();
  readMessage(bytes, { [field]: bytesField((attribute) => addAttribute(attributes, attribute, values, depth)) });
  return attributes;
}

/** Adds a `KeyValue` to a map that this decoder has created. */
function addAttribute(attributes: Attributes, bytes: Uint8Array, values: DecodingCounter, depth = 0): void {
  values.add(1);
  let key = '';
  let value: AttributeValue = null;
  readMessage(bytes, {
    1: stringField((text) => (key = text)),
    2: bytesField((any) => (value = valueOf(any, values, depth))),
  });
  (attributes as Map<string, AttributeValue>).set(key, value);
}

function valueOf(bytes: Uint8Array, values: DecodingCounter, depth: number): AttributeValue {
  if (depth > MAX_ATTRIBUTE_DEPTH) throw new Error(`an attribute has more than ${MAX_ATTRIBUTE_DEPTH} levels`);
  let value: AttributeValue = null;
  readMessage(bytes, {
    1: stringField((text) => (value = text)),
    2: boolField((flag) => (value = flag)),
    3: int64Field((integer) => (value = integer)),
    4: doubleField((number) => (value = number)),
    5: bytesField((list) => (value = messagesOf(list, 1, values).map((item) => valueOf(item, values, depth + 1)))),
    6: bytesField((map) => (value = attributesOf(map, 1, values, depth + 1))),
    7: bytesField((content) => (value = Buffer.from(content).toString('base64'))),
  });
  return value;
}

function hexadecimal(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
