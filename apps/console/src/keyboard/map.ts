import type { PAGE_GROUPS } from '../shell/page-groups';

type PagePath = (typeof PAGE_GROUPS)[number]['pages'][number]['to'];

/** What a key does. Nothing here changes anything that is stored: what does so asks in a dialog first. */
export type Command =
  /** Shows all keys. */
  | { readonly kind: 'help' }
  | { readonly kind: 'page'; readonly to: PagePath }
  /** Goes to the row that many rows below the one with the focus. */
  | { readonly kind: 'row'; readonly step: 1 | -1 }
  /** Selects the row with the focus, or no longer. */
  | { readonly kind: 'select' }
  /** Opens the thing after or before this one in the list that it was opened from. */
  | { readonly kind: 'neighbour'; readonly step: 1 | -1 }
  /** Goes from a thing to the list that it was opened from. */
  | { readonly kind: 'back' }
  | { readonly kind: 'tab'; readonly index: number }
  /** Presses the button that declares the key by `aria-keyshortcuts`. */
  | { readonly kind: 'press' }
  /** Goes to the button or field that declares the key. */
  | { readonly kind: 'focus' };

export interface Key {
  /** As `KeyboardEvent.key` names them; two with a space are pressed one after the other. */
  readonly keys: string;
  readonly does: string;
  /** Absent: the part of the page that has the focus reacts to it. */
  readonly command?: Command;
}

export interface KeyGroup {
  readonly name: string;
  readonly keys: readonly Key[];
}

const page = (letter: string, name: string, to: PagePath): Key => ({
  keys: `g ${letter}`,
  does: `To the page ${name}`,
  command: { kind: 'page', to },
});

const press = (keys: string, does: string): Key => ({ keys, does, command: { kind: 'press' } });
const focus = (keys: string, does: string): Key => ({ keys, does, command: { kind: 'focus' } });

/** All keys of the console. */
export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    name: 'Everywhere',
    keys: [
      { keys: '?', does: 'Shows the keys', command: { kind: 'help' } },
      { keys: 'Ctrl+K', does: 'Finds pages and things' },
      page('o', 'Overview', '/'),
      page('e', 'Executions', '/executions'),
      page('t', 'Traces', '/traces'),
      page('d', 'Decisions', '/decisions'),
      page('a', 'Agents', '/agents'),
      page('j', 'Jobs', '/jobs'),
      page('p', 'Policies', '/policies'),
      page('q', 'Worker queues', '/queues'),
      page('w', 'Workers', '/workers'),
      page('h', 'Webhooks', '/webhooks'),
      page('k', 'API keys', '/keys'),
      page('u', 'Users', '/users'),
    ],
  },
  {
    name: 'In a list',
    keys: [
      focus('/', 'To the filter'),
      { keys: 'j', does: 'Next row', command: { kind: 'row', step: 1 } },
      { keys: 'k', does: 'Previous row', command: { kind: 'row', step: -1 } },
      { keys: 'Enter', does: 'Opens the row' },
      { keys: 'x', does: 'Selects the row', command: { kind: 'select' } },
    ],
  },
  {
    name: 'On the page of a thing',
    keys: [
      { keys: '[', does: 'Previous of the list', command: { kind: 'neighbour', step: -1 } },
      { keys: ']', does: 'Next of the list', command: { kind: 'neighbour', step: 1 } },
      { keys: 'Escape', does: 'Back to the list', command: { kind: 'back' } },
      ...[1, 2, 3, 4, 5].map((number) => ({
        keys: String(number),
        does: `Tab ${number}`,
        command: { kind: 'tab', index: number - 1 } as const,
      })),
    ],
  },
  {
    name: 'On an execution',
    keys: [
      press('f', 'Follows what is written, or no longer'),
      focus('m', 'To the message, or the answer'),
      press('p', 'Pauses or resumes'),
      focus('r', 'To “Run again”, which Enter presses'),
      press('c', 'Asks whether to cancel'),
    ],
  },
  {
    name: 'In the spans of a trace',
    keys: [
      { keys: 'Arrows', does: 'Walk and fold' },
      { keys: '+ − 0', does: 'Zoom, and show the whole trace' },
      { keys: 'e E', does: 'Next and previous error' },
      { keys: 't', does: 'Shows them as a table, or no longer' },
    ],
  },
  {
    name: 'In an editor',
    keys: [
      { keys: 'F8', does: 'Next fault, with Shift the previous one' },
      { keys: 'Ctrl+Space', does: 'Completes a name' },
    ],
  },
];

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  KEY_GROUPS.flatMap(({ keys }) => keys.flatMap(({ keys: one, command }) => (command ? [[one, command]] : []))),
);
const FIRST_KEYS: ReadonlySet<string> = new Set(
  [...COMMANDS.keys()].filter((keys) => keys.includes(' ')).map((keys) => keys.slice(0, keys.indexOf(' '))),
);

/** How long the second of two keys may take. */
const PATIENCE_MS = 1500;

/** The first of two keys, and when it was pressed. */
export interface Pending {
  readonly key: string;
  readonly at: number;
}

export interface Pressed {
  readonly pending: Pending | null;
  readonly command: Command | null;
}

/** Returns what a key does after the keys before it. */
export function commandOf(pending: Pending | null, key: string, at: number): Pressed {
  const isFollowing = pending !== null && at - pending.at <= PATIENCE_MS;
  const command = COMMANDS.get(isFollowing ? `${pending.key} ${key}` : key) ?? null;
  const isFirst = !isFollowing && command === null && FIRST_KEYS.has(key);
  return { pending: isFirst ? { key, at } : null, command };
}

/** Returns what stands after or before an address in a list; undefined at its ends, and if it is not in the list. */
export function neighbourOf(list: readonly string[], address: string, step: 1 | -1): string | undefined {
  const at = list.indexOf(address);
  return at < 0 ? undefined : list[at + step];
}
