import type { ReactNode } from 'react'
import type { IconComponent } from '#icons'
import { classNames } from '../class-names.ts'

const tones = {
  plain: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent-ink',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
} as const

/** A state as a word, never only as a colour. */
export function Tag({
  tone = 'plain',
  icon: Icon,
  children,
}: {
  tone?: keyof typeof tones
  icon?: IconComponent
  children: ReactNode
}) {
  return (
    <span
      className={classNames(
        'inline-flex h-6 items-center gap-1.5 whitespace-nowrap rounded-sm px-2 font-medium text-xs',
        tones[tone],
      )}
    >
      {Icon === undefined ? undefined : <Icon aria-hidden="true" size={13} />}
      {children}
    </span>
  )
}
