import { ContextMenu, DropdownMenu } from 'radix-ui'
import { type ReactNode, useRef, useState } from 'react'
import type { IconComponent } from '#icons'
import { classNames } from './class-names.ts'

/** One item of a menu, for the ⋯ menu and the context menu. */
export type MenuItem = {
  id: string
  label: string
  icon: IconComponent
  /** Actions that cannot be undone are separated, in the warning colour. */
  isDanger?: boolean
  /** Runs within the click instead of after the menu has closed, because browsers only open tabs then. */
  isAtOnce?: boolean
  run: () => void
}

const content =
  'z-60 max-h-[min(80dvh,var(--radix-popper-available-height))] min-w-52 animate-appear overflow-y-auto rounded-lg border border-line scroll-shade p-1 text-ink shadow-float'
const line =
  'flex h-9 cursor-pointer select-none items-center gap-3 rounded-sm px-2.5 text-sm outline-none data-[highlighted]:bg-hover pointer-coarse:h-11'

/** Menus render within the main landmark, where screen readers expect them, or in the dialog that makes it inert. */
function landmark(): HTMLElement | null {
  const dialogs = document.querySelectorAll<HTMLElement>('[role=dialog]')
  return [...dialogs].at(-1) ?? document.getElementById('content')
}

/** Returns the place of a menu and what to call when it opens: a dialog may have opened or closed since. */
function usePlace() {
  const [, setOpened] = useState(false)
  return { container: landmark(), onOpenChange: setOpened }
}

/**
 * Runs the chosen action after the menu has closed and the focus is restored: a dialog that it opens then returns the focus there
 * instead of to a removed menu item.
 */
function useAfterClose() {
  const chosen = useRef<() => void>(undefined)
  return {
    choose: (run: () => void) => {
      chosen.current = run
    },
    onCloseAutoFocus: () => {
      const run = chosen.current
      chosen.current = undefined
      if (run !== undefined) queueMicrotask(run)
    },
  }
}

/** A menu that opens from a button. */
export function ButtonMenu({
  items,
  label,
  children,
  align = 'end',
}: {
  /** A function is called when the menu opens. */
  items: readonly MenuItem[] | (() => readonly MenuItem[])
  label: string
  children: ReactNode
  align?: 'start' | 'end'
}) {
  const { choose, onCloseAutoFocus } = useAfterClose()
  const { container, onOpenChange } = usePlace()
  return (
    <DropdownMenu.Root modal={false} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content
          aria-label={label}
          onCloseAutoFocus={onCloseAutoFocus}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className={content}
        >
          <Lines items={items} part={DropdownMenu.Item} onChoose={choose} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** The same as a context menu, around its target. */
export function AreaMenu({
  items,
  label,
  children,
  onOpen,
}: {
  items: () => readonly MenuItem[]
  label: string
  children: ReactNode
  onOpen?: () => void
}) {
  const { choose, onCloseAutoFocus } = useAfterClose()
  const { container, onOpenChange } = usePlace()
  return (
    <ContextMenu.Root
      modal={false}
      onOpenChange={(open) => {
        onOpenChange(open)
        if (open) onOpen?.()
      }}
    >
      <ContextMenu.Trigger asChild>{children}</ContextMenu.Trigger>
      <ContextMenu.Portal container={container}>
        <ContextMenu.Content
          aria-label={label}
          onCloseAutoFocus={onCloseAutoFocus}
          collisionPadding={8}
          className={content}
        >
          <Lines items={items} part={ContextMenu.Item} onChoose={choose} />
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  )
}

/** The lines of an open menu. */
function Lines({
  items,
  part: Part,
  onChoose,
}: {
  items: readonly MenuItem[] | (() => readonly MenuItem[])
  part: typeof DropdownMenu.Item | typeof ContextMenu.Item
  onChoose: (run: () => void) => void
}) {
  const shown = typeof items === 'function' ? items() : items
  return shown.map(({ id, label, icon: Icon, isDanger = false, isAtOnce = false, run }) => (
    <Part key={id} onSelect={isAtOnce ? run : () => onChoose(run)} className={classNames(line, isDanger && 'text-bad')}>
      <Icon aria-hidden="true" size={16} className={isDanger ? 'text-bad' : 'text-ink-soft'} />
      {label}
    </Part>
  ))
}
