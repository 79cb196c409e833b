import { useState } from 'react';
import { Button } from '../ui/button';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** The same name as in `public/theme.js`. */
const STORED = 'console.theme';

/** Walks through the themes; `system` follows the settings of the device. */
export function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme);
  const choose = (): void => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
    if (next === 'system') {
      localStorage.removeItem(STORED);
      delete document.documentElement.dataset['theme'];
    } else {
      localStorage.setItem(STORED, next);
      document.documentElement.dataset['theme'] = next;
    }
    setTheme(next);
  };
  return (
    <Button kind="plain" onClick={choose}>
      Theme: {theme}
    </Button>
  );
}

function storedTheme(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(STORED)) ?? 'system';
}
