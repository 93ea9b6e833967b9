import type { NameState } from '@cairn/sdk'
import { type ReactNode, useState } from 'react'
import { Download, ExternalLink, Link2, PencilLine, Send, Trash2 } from '#icons'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { useSession } from '../session/session-store.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { toastDone } from '../ui/toast-store.ts'
import { words } from '../words/words.ts'
import { ExportNameDialog } from './ExportNameDialog.tsx'
import { nameUrl } from './name-url.ts'
import { PublishDialog } from './PublishDialog.tsx'
import { RelabelDialog } from './RelabelDialog.tsx'
import { RemoveNameDialog } from './RemoveNameDialog.tsx'
import { useDeviceNames } from './use-names.ts'

type Open = { kind: 'publish' | 'relabel' | 'export' | 'remove'; name: NameState; target?: string }

/** What can be done with a name, for menus and buttons alike, and the dialogs that it opens. */
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
    // The service has no label for what it has not heard of.
    const isUnheard = name.keyHeld === 'owner' && name.value === null
    const link = nameUrl(network, name.name)
    const copyLink = async () => {
      await navigator.clipboard.writeText(link)
      toastDone(words.names.linkCopied)
    }
    return [
      ...(canPublish
        ? [{ id: 'publish', label: words.names.publish, icon: Send, run: () => setOpen({ kind: 'publish', name }) }]
        : []),
      ...(name.value === null
        ? []
        : [
            {
              id: 'open',
              label: words.names.open,
              icon: ExternalLink,
              run: () => void window.open(link, '_blank', 'noopener'),
            },
            { id: 'link', label: words.names.copyLink, icon: Link2, run: () => void copyLink() },
          ]),
      ...(isUnheard
        ? []
        : [
            {
              id: 'relabel',
              label: words.names.rename,
              icon: PencilLine,
              run: () => setOpen({ kind: 'relabel', name }),
            },
          ]),
      ...(canPublish
        ? [{ id: 'export', label: words.names.export, icon: Download, run: () => setOpen({ kind: 'export', name }) }]
        : []),
      {
        id: 'remove',
        label: words.names.remove,
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
