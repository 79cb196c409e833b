import { rowListOf, type RowList } from '../ui/row-list';
import { neighbourOf, type Command } from './map';

const BASE = '/console';
/** Fields that take letters. A choice among buttons does not. */
const FIELDS = 'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable=true]';
const ROW_LINKS = 'main tbody th[scope=row] a[href], main tbody th[scope=row] button';

/** The list from which a thing was opened last: the addresses of its rows, and where there are more. */
let lastList: { readonly addresses: readonly string[]; readonly rows?: RowList } = { addresses: [] };
/** The address of the page with that list, with its filters. */
let lastListPage = '';

/** Whether a key belongs to what has the focus, or to a window above the page. */
export function isTaken(event: KeyboardEvent): boolean {
  // The focus can be in a shadow root, which the target of the event does not say.
  const [target] = event.composedPath();
  const isField = target instanceof Element && target.matches(FIELDS);
  const isCombined = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');
  const isBelowWindow = document.querySelector('[role=dialog], [role=alertdialog]') !== null;
  return event.defaultPrevented || event.isComposing || isField || isCombined || isBelowWindow;
}

/** Remembers the list that a link is in, when it is followed. */
export function rememberList({ target }: Event): void {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('main tbody th[scope=row] a[href]') : null;
  const table = link?.closest('table');
  if (!table) return;
  const drawn = [...table.querySelectorAll<HTMLAnchorElement>('tbody th[scope=row] a[href]')];
  const rows = rowListOf(table);
  const known = rows?.addresses().map(pathOf) ?? [];
  lastList =
    rows !== undefined && known.length > 0
      ? { addresses: known, rows }
      : { addresses: drawn.map(({ pathname }) => pathname) };
  lastListPage = `${window.location.pathname}${window.location.search}`;
}

/** Returns the address of the list of a thing: as it was when the thing was opened from it. */
export function listPage(): string | undefined {
  const [, list] = /^(.*\/[^/]+)\/[^/]+$/.exec(window.location.pathname.slice(BASE.length)) ?? [];
  if (list === undefined) return undefined;
  const address = `${BASE}${list}`;
  return lastListPage.split('?', 1)[0] === address ? lastListPage : address;
}

/**
 * Resolves to the address of the neighbour of this page in the list from which it was opened, also if the list has to be
 * read further for it. Undefined: there is none, or the page is another one meanwhile.
 */
export async function neighbourPage(step: 1 | -1): Promise<string | undefined> {
  const here = window.location.pathname;
  const known = neighbourOf(lastList.addresses, here, step);
  const { rows } = lastList;
  if (known !== undefined || rows === undefined || !lastList.addresses.includes(here)) return known;
  const addresses = (await rows.addressesBeyond(step)).map(pathOf);
  if (window.location.pathname !== here || lastList.rows !== rows) return undefined;
  if (addresses.length > 0) lastList = { addresses, rows };
  return neighbourOf(addresses, here, step);
}

/** Returns an address below that of the console as browsers say it. */
function pathOf(address: string): string {
  return new URL(`${BASE}${address}`, window.location.origin).pathname;
}

/** Does on the page what a key says; returns whether there is something to do. */
export function actOnPage(command: Command, key: string): boolean {
  switch (command.kind) {
    case 'row':
      return goToRow(command.step);
    case 'select':
      return click(document.activeElement?.closest('main tbody tr')?.querySelector<HTMLElement>('[type=checkbox]'));
    case 'tab':
      return click(document.querySelectorAll<HTMLElement>('main [role=tab]')[command.index]);
    case 'focus':
      return focusOn(declaring(key));
    case 'press':
      return click(declaring(key));
    default:
      return false;
  }
}

/** Returns the enabled element that declares a key. */
function declaring(key: string): HTMLElement | undefined {
  const declared = document.querySelectorAll<HTMLElement>(`main [aria-keyshortcuts="${CSS.escape(key)}"]`);
  return [...declared].find((element) => !element.matches(':disabled'));
}

/** Goes from the row with the focus to the next one, also if that is not drawn yet. Without one, to the first seen. */
function goToRow(step: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLElement>(ROW_LINKS)];
  const row = document.activeElement?.closest<HTMLElement>('main tbody tr') ?? null;
  const at = links.findIndex((link) => row?.contains(link));
  if (at < 0) return step > 0 && focusOn(links.find((link) => link.getBoundingClientRect().bottom > 0) ?? links[0]);
  const index = Number(row?.dataset['index']);
  if (rowListOf(row?.closest('table'))?.goTo(index + step) === true) return true;
  return focusOn(links[at + step]);
}

function focusOn(element: HTMLElement | undefined): boolean {
  element?.focus();
  return element !== undefined;
}

function click(element: HTMLElement | null | undefined): boolean {
  element?.click();
  return element !== null && element !== undefined;
}
