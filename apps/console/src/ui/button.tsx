import type { ButtonHTMLAttributes } from 'react';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'primary' | 'secondary' | 'danger' | 'plain';
  /** A request is under way: the button cannot be pressed again. */
  readonly isBusy?: boolean;
  /** Why the button cannot be used; it stays visible and says so. */
  readonly disabledReason?: string | undefined;
}

const KINDS = {
  primary: 'bg-accent text-on-accent border-accent',
  secondary: 'bg-surface text-text border-edge',
  danger: 'bg-danger text-on-danger border-danger',
  plain: 'bg-transparent text-accent border-transparent',
} as const;

export function Button({ kind = 'secondary', isBusy = false, disabledReason, className = '', ...rest }: ButtonProps) {
  const isDisabled = rest.disabled === true || isBusy || disabledReason !== undefined;
  return (
    <button
      type="button"
      {...rest}
      disabled={isDisabled}
      title={disabledReason ?? rest.title}
      aria-busy={isBusy}
      className={`inline-flex min-h-8 items-center justify-center gap-1 rounded-sm border px-3 font-semibold disabled:opacity-50 ${KINDS[kind]} ${className}`}
    />
  );
}
