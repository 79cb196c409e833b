import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

export interface DialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly children: ReactNode;
  /** Absent: only a button inside closes the dialog. */
  readonly onClose?: () => void;
  /** A click beside the dialog closes it. Not for forms: what was entered would be lost. */
  readonly closesOutside?: boolean;
  /** For code, whose lines are long. */
  readonly isWide?: boolean;
}

/** A modal window. Focus moves into it, and back to where it was when it closes. */
export function Dialog({ isOpen, title, children, onClose, closesOutside = false, isWide = false }: DialogProps) {
  return (
    <Base.Root
      open={isOpen}
      disablePointerDismissal={!closesOutside}
      onOpenChange={(open) => {
        if (!open) onClose?.();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-shade" />
        <Base.Popup
          className={`${isWide ? 'w-[960px]' : 'w-[560px]'} fixed top-1/2 left-1/2 flex max-h-[90vh] max-w-[calc(100vw-32px)] -translate-x-1/2 -translate-y-1/2 scroll-pb-20 flex-col gap-4 overflow-auto rounded-md border border-hairline bg-surface p-4 text-text`}
        >
          <Base.Title className="text-lg font-semibold">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
