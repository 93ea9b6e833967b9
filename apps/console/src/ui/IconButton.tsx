import type { ComponentProps } from 'react'
import type { IconComponent } from '#icons'
import { classNames } from './class-names.ts'

/** A button with only an icon; its label is read aloud and shown on hover. */
export function IconButton({
  icon: Icon,
  label,
  size = 'normal',
  className,
  ...rest
}: ComponentProps<'button'> & { icon: IconComponent; label: string; size?: 'small' | 'normal' }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={classNames(
        'inline-grid shrink-0 place-items-center rounded-md text-ink-soft transition-colors hover:bg-hover hover:text-ink disabled:opacity-50 data-[state=open]:bg-hover',
        size === 'small' ? 'size-8 pointer-coarse:size-11' : 'size-10 pointer-coarse:size-11',
        className,
      )}
    >
      <Icon aria-hidden="true" size={size === 'small' ? 16 : 18} strokeWidth={1.9} />
    </button>
  )
}
