import type { components } from './generated/events.js';

/** The data of the events that the platform publishes and streams, by event type. */
export type EventData = components['schemas'];

export type KnownEventType = keyof EventData;

/**
 * Any event, also one whose type the client does not know: publishers can use any type, and later versions have more.
 * Unknown types have the data `{ data, timestamp }`.
 */
export interface AnyEvent {
  /** `{execution_id}_{counter}_{unix_micros}`; absent for frames that are not in the event log (`connected`, …). */
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The data of frames: of the known events, and of those in `Own`, which has the published data by event type. */
type Frames<Own> = EventData & {
  readonly [Type in keyof Own]: { readonly data: Own[Type]; readonly timestamp: string };
};

type EventsOf<Data> = {
  [Type in keyof Data & string]: Pick<AnyEvent, 'id'> & { readonly event: Type; readonly data: Data[Type] };
}[keyof Data & string];

/**
 * An event of a stream: a comparison of `event` tells the type of `data`. Events of other types arrive too: list them in
 * `Own`, or read the event as an `AnyEvent`.
 */
export type StreamedEvent<Own = unknown> = EventsOf<Frames<Own>>;

/** The events of some types: `EventOf<'tool_started' | 'tool_completed'>`. */
export type EventOf<Type extends KnownEventType> = Extract<StreamedEvent, { readonly event: Type }>;
