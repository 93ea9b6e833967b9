import { Modal } from '../ui/Modal.tsx'
import { words } from '../words/words.ts'

const rows: readonly { keys: readonly string[]; text: string; isPair?: boolean }[] = [
  { keys: ['/'], text: words.shell.shortcutSearch },
  { keys: ['u'], text: words.shell.shortcutUpload },
  { keys: ['g', 'f'], text: words.shell.shortcutGoFiles, isPair: true },
  { keys: ['g', 's'], text: words.shell.shortcutGoShared, isPair: true },
  { keys: ['g', 'n'], text: words.shell.shortcutGoNames, isPair: true },
  { keys: ['g', 't'], text: words.shell.shortcutGoStorage, isPair: true },
  { keys: ['g', 'p'], text: words.shell.shortcutGoProofs, isPair: true },
  { keys: ['g', ','], text: words.shell.shortcutGoSettings, isPair: true },
  { keys: ['↑', '↓'], text: words.shell.shortcutMove },
  { keys: ['Space'], text: words.shell.shortcutSelect },
  { keys: ['Enter'], text: words.shell.shortcutOpen },
  { keys: ['Ctrl A', '⌘ A'], text: words.shell.shortcutAll },
  { keys: ['Delete'], text: words.shell.shortcutDelete },
  { keys: ['Esc'], text: words.shell.shortcutClear },
  { keys: ['?'], text: words.shell.shortcutHelp },
]

/** Every shortcut there is. */
export function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal isOpen onClose={onClose} title={words.shell.shortcuts} hint={words.shell.shortcutsHint}>
      <dl className="grid gap-x-8 gap-y-2.5 text-sm sm:grid-cols-2">
        {rows.map(({ keys, text, isPair = false }) => (
          <div key={text} className="flex items-center justify-between gap-4">
            <dt className="text-ink-soft">{text}</dt>
            <dd className="flex items-center gap-1">
              {keys.map((key, i) => (
                <span key={key} className="flex items-center gap-1">
                  {i > 0 ? (
                    <span className="text-ink-faint text-xs">
                      {isPair ? words.shell.shortcutThen : words.shell.shortcutOr}
                    </span>
                  ) : undefined}
                  <kbd className="rounded-sm border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">{key}</kbd>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
