import { messages } from '../messages/messages.ts'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { ScrollBox } from '../ui/ScrollBox.tsx'
import { places } from './navigation.ts'

const listRows = (): readonly { keys: readonly string[]; text: string; isPair?: boolean }[] => [
  { keys: [`${messages.shell.control} K`, '⌘ K'], text: messages.shortcuts.palette },
  { keys: ['/'], text: messages.shortcuts.search },
  { keys: ['u'], text: messages.shortcuts.upload },
  ...places.flatMap(({ shortcut, title }) =>
    shortcut === undefined ? [] : [{ keys: ['g', shortcut], text: messages.shortcuts.goTo(title()), isPair: true }],
  ),
  { keys: ['↑', '↓'], text: messages.shortcuts.move },
  { keys: [messages.shortcuts.keys.space], text: messages.shortcuts.select },
  { keys: [messages.shortcuts.keys.enter], text: messages.shortcuts.open },
  { keys: ['←', '→'], text: messages.shortcuts.siblings },
  { keys: [`${messages.shell.control} A`, '⌘ A'], text: messages.shortcuts.all },
  { keys: [messages.shortcuts.keys.delete], text: messages.shortcuts.delete },
  { keys: [messages.shortcuts.keys.escape], text: messages.shortcuts.clear },
  { keys: ['F2'], text: messages.shortcuts.rename },
  { keys: [`${messages.shell.control} X`, '⌘ X'], text: messages.shortcuts.cut },
  { keys: [`${messages.shell.control} V`, '⌘ V'], text: messages.shortcuts.paste },
  { keys: [`${messages.shell.control} Z`, '⌘ Z'], text: messages.shortcuts.undo },
  { keys: [messages.shortcuts.keys.backspace], text: messages.shortcuts.up },
  { keys: ['?'], text: messages.shortcuts.help },
]

/** Lists every shortcut. */
export function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal isOpen onClose={onClose} title={messages.shortcuts.title} hint={messages.shortcuts.hint}>
      <ScrollBox label={messages.shortcuts.title} className="rounded-md">
        <dl className="grid gap-x-8 gap-y-1 text-sm sm:grid-cols-2 sm:gap-y-2.5">
          {listRows().map(({ keys, text, isPair = false }) => (
            <div key={text} className="flex items-center justify-between gap-4">
              <dt className="text-ink-soft">{text}</dt>
              <dd className="flex shrink-0 items-center gap-1 whitespace-nowrap">
                {keys.map((key, i) => (
                  <span key={key} className="flex items-center gap-1">
                    {i > 0 ? (
                      <span className="text-ink-faint text-xs">
                        {isPair ? messages.shortcuts.followedBy : messages.shortcuts.or}
                      </span>
                    ) : undefined}
                    <kbd className="rounded-sm border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">{key}</kbd>
                  </span>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </ScrollBox>
    </Modal>
  )
}
