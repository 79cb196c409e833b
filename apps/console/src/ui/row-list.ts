/** What of a list is in memory, and how its page reaches the rest. */
export interface RowSource<Item> {
  readonly items: readonly Item[];
  /** How many rows of the list precede the items. */
  readonly offset?: number | undefined;
  /** Reads rows before the items, until that one is there, or after them; resolves to the items then. */
  readonly readBefore?: ((index: number) => Promise<readonly Item[]>) | undefined;
  readonly readAfter?: (() => Promise<readonly Item[]>) | undefined;
  /** Where a row leads to, below the address of the console. */
  readonly addressOf?: ((item: Item) => string) | undefined;
}

/** The tables whose rows are not all on their page. */
const LISTS = new WeakMap<Element, RowList>();

/** Returns the list that a table shows, if it is one of which more is in memory, or can be read, than is on the page. */
export function rowListOf(table: Element | null | undefined): RowList | undefined {
  return table ? LISTS.get(table) : undefined;
}

/** A list as keys walk through it. */
export interface RowList {
  /** Goes to a row, by its place in the list, and draws or reads it before. Returns false if there is none. */
  readonly goTo: (index: number) => boolean;
  /** The addresses of the rows in memory; none if rows lead nowhere. */
  readonly addresses: () => readonly string[];
  /** Reads rows after or before those in memory. Resolves to the addresses then; to none if there are no others. */
  readonly addressesBeyond: (step: 1 | -1) => Promise<readonly string[]>;
}

/** A list that is drawn in part. */
export class DrawnList<Item> implements RowList {
  private table: Element | null = null;
  private wanted: { readonly index: number; readonly from: Element | null } | null = null;
  private show: (index: number) => void = () => undefined;

  constructor(private source: RowSource<Item>) {}

  /** Takes a row that was drawn. */
  readonly attach = (row: Element | null): void => {
    const table = row?.closest('table');
    if (!table) return;
    this.table = table;
    LISTS.set(table, this);
  };

  /** To be called after each drawing. `show` has a row drawn that is in memory. */
  update(source: RowSource<Item>, show: (index: number) => void): void {
    this.source = source;
    this.show = show;
    this.arrive();
  }

  goTo(index: number): boolean {
    const { items, offset = 0, readBefore, readAfter } = this.source;
    const isBefore = index < offset;
    const isAfter = index >= offset + items.length;
    if (index < 0 || (isBefore && readBefore === undefined) || (isAfter && readAfter === undefined)) return false;
    this.wanted = { index, from: document.activeElement };
    if (isBefore) void readBefore?.(index);
    else if (isAfter) void readAfter?.();
    else this.arrive();
    return true;
  }

  addresses(): readonly string[] {
    return this.addressesOf(this.source.items);
  }

  async addressesBeyond(step: 1 | -1): Promise<readonly string[]> {
    const { offset = 0, readBefore, readAfter } = this.source;
    const items = await (step > 0 ? readAfter?.() : readBefore?.(offset - 1));
    return this.addressesOf(items ?? []);
  }

  private addressesOf(items: readonly Item[]): readonly string[] {
    const { addressOf } = this.source;
    return addressOf === undefined ? [] : items.map(addressOf);
  }

  /** Goes to the wanted row once it is there, if the person has not gone elsewhere meanwhile. */
  private arrive(): void {
    const { items, offset = 0 } = this.source;
    if (this.wanted === null) return;
    const { index, from } = this.wanted;
    if (index < offset || index >= offset + items.length) return;
    const row = this.table?.querySelector(`tr[data-index="${index}"]`);
    if (!row) return this.show(index);
    this.wanted = null;
    const { activeElement } = document;
    if (activeElement !== from && activeElement !== document.body) return;
    row.querySelector<HTMLElement>('th[scope=row] :is(a[href], button)')?.focus();
  }
}
