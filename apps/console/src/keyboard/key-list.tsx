import { useState } from 'react';
import { Button } from '../ui/button';
import { CheckField } from '../ui/check-field';
import { Dialog } from '../ui/dialog';
import { Section } from '../ui/section';
import { areKeysOn, turnKeys } from './key-switch';
import { KEY_GROUPS } from './map';

/** All keys, and the switch that turns them off. */
export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const [isOn, setOn] = useState(areKeysOn);
  const change = (next: boolean): void => {
    turnKeys(next);
    setOn(next);
  };
  return (
    <Dialog isOpen title="Keys" closesOutside onClose={onClose}>
      <CheckField
        label="Keys without Ctrl are on"
        help="In fields they are letters, as everywhere."
        checked={isOn}
        onChange={({ target }) => change(target.checked)}
      />
      {KEY_GROUPS.map(({ name, keys }) => (
        <Section key={name} title={name}>
          <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
            {keys.map(({ keys: one, does }) => (
              <div key={one} className="contents">
                <dt>
                  <kbd className="rounded-sm border border-edge px-1 font-mono text-sm">{one}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </Section>
      ))}
      <div className="flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
