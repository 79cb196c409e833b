import { unwrap } from '@app/api-client';
import { Autocomplete } from '@base-ui/react/autocomplete';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Session } from '../session/session';
import { useSession } from '../session/session-context';
import { useLater } from '../ui/later';
import { Dialog } from '../ui/dialog';
import { matchingPages, pageOfKind, type PaletteItem } from './palette-items';

/** Goes to a page, or to a thing by its name or id. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const { data = [] } = useQuery(searchQuery(useSession(), useLater(text.trim())));
  const items = [...matchingPages(text), ...(text.trim() === '' ? [] : data)];
  const open = (item: PaletteItem): void => {
    onClose();
    void navigate(item.id === null ? { to: item.path } : { to: `${item.path}/$id`, params: { id: item.id } });
  };
  return (
    <Dialog isOpen title="Find" closesOutside onClose={onClose}>
      <Autocomplete.Root
        open
        inline
        items={items}
        filter={null}
        autoHighlight="always"
        value={text}
        onValueChange={setText}
        itemToStringValue={({ name }: PaletteItem) => name}
      >
        <Autocomplete.Input
          aria-label="Name or id"
          placeholder="Name of a page or a thing, or the id of an execution"
          className="h-8 rounded-sm border border-edge bg-surface px-2"
        />
        <Autocomplete.Empty>
          <p className="text-quiet">Nothing has this name.</p>
        </Autocomplete.Empty>
        <Autocomplete.List className="max-h-[50vh] overflow-auto">
          {(item: PaletteItem) => (
            <Autocomplete.Item
              key={`${item.path} ${item.id ?? ''}`}
              value={item}
              onClick={() => open(item)}
              className="flex cursor-pointer items-center justify-between gap-2 rounded-sm px-2 py-1 data-highlighted:bg-sunken"
            >
              <span className="min-w-0 truncate">
                {item.name} {item.detail !== null && <span className="text-quiet">{item.detail}</span>}
              </span>
              <span className="text-sm text-quiet">{item.kind}</span>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  );
}

function searchQuery({ controlPlane }: Session, text: string) {
  return queryOptions({
    queryKey: ['search', text],
    queryFn: async ({ signal }): Promise<PaletteItem[]> => {
      const { items } = await unwrap(controlPlane.GET('/api/v1/search', { params: { query: { q: text } }, signal }));
      return items.flatMap(({ kind, id, name, detail }) => {
        const path = pageOfKind(kind);
        return path === undefined ? [] : [{ kind, path, id, name, detail }];
      });
    },
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });
}
