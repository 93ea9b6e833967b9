import type { NameState } from '@cairn/sdk'
import { type ReactNode, useState } from 'react'
import { Download, ExternalLink, Link2, PencilLine, Send, Trash2 } from '#icons'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { useSession } from '../session/session-store.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { toastDone } from '../ui/toasts/toast-store.ts'
import { copyText } from '../ui/values/copy-text.ts'
import { ExportNameDialog } from './ExportNameDialog.tsx'
import { nameUrl } from './name-url.ts'
import { PublishDialog } from './PublishDialog.tsx'
import { RelabelDialog } from './RelabelDialog.tsx'
import { RemoveNameDialog } from './RemoveNameDialog.tsx'
import { useDeviceNames } from './use-names.ts'

type Open = { kind: 'publish' | 'relabel' | 'export' | 'remove'; name: NameState; target?: string }

/** Actions on a name, for menus and buttons, with the dialogs that they open. */
export function useNameActions({ onRemoved }: { onRemoved?: () => void } = {}): {
  itemsOf: (name: NameState) => MenuItem[]
  publish: (name: NameState, target?: string) => void
  dialogs: ReactNode
} {
  const network = useNetwork()
  const onDevice = useDeviceNames(useSession()?.address)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)

  const itemsOf = (name: NameState): MenuItem[] => {
    const canPublish = name.keyHeld === 'service' || onDevice.has(name.name)
    // The service has no label for a name that it does not know.
    const isUnheard = name.keyHeld === 'owner' && name.value === null
    const link = nameUrl(network, name.name)
    const copyLink = async () => {
      if (await copyText(link)) toastDone(messages.names.linkCopied)
    }
    return [
      ...(canPublish
        ? [{ id: 'publish', label: messages.names.publish, icon: Send, run: () => setOpen({ kind: 'publish', name }) }]
        : []),
      ...(name.value === null
        ? []
        : [
            {
              id: 'open',
              label: messages.names.open,
              icon: ExternalLink,
              isAtOnce: true,
              run: () => void window.open(link, '_blank', 'noopener'),
            },
            { id: 'link', label: messages.names.copyLink, icon: Link2, run: () => void copyLink() },
          ]),
      ...(isUnheard
        ? []
        : [
            {
              id: 'relabel',
              label: messages.names.rename,
              icon: PencilLine,
              run: () => setOpen({ kind: 'relabel', name }),
            },
          ]),
      ...(canPublish
        ? [{ id: 'export', label: messages.names.export, icon: Download, run: () => setOpen({ kind: 'export', name }) }]
        : []),
      {
        id: 'remove',
        label: messages.names.remove,
        icon: Trash2,
        isDanger: true,
        run: () => setOpen({ kind: 'remove', name }),
      },
    ]
  }
  return {
    itemsOf,
    publish: (name, target) => setOpen({ kind: 'publish', name, ...(target === undefined ? {} : { target }) }),
    dialogs:
      open === undefined ? undefined : open.kind === 'publish' ? (
        <PublishDialog
          name={open.name}
          onClose={close}
          {...(open.target === undefined ? {} : { target: open.target })}
        />
      ) : open.kind === 'relabel' ? (
        <RelabelDialog name={open.name} onClose={close} />
      ) : open.kind === 'export' ? (
        <ExportNameDialog name={open.name} onClose={close} />
      ) : (
        <RemoveNameDialog
          name={open.name}
          isOnDevice={onDevice.has(open.name.name)}
          onClose={close}
          {...(onRemoved === undefined ? {} : { onRemoved })}
        />
      ),
  }
}
