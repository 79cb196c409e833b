import { useEffect } from 'react';

/** Sets the title of the tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Agent platform`;
  }, [title]);
}
