import type { FileEntry } from '@cairn/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Copy, Download, ExternalLink, Info, Link2, Pencil, Signpost, Trash2, UserPlus } from '#icons'
import { gatewayUrl } from '../../network/gateway-url.ts'
import { useNetwork } from '../../network/NetworkProvider.tsx'
import type { MenuItem } from '../../ui/Menu.tsx'
import { toastDone } from '../../ui/toast-store.ts'
import { words } from '../../words/words.ts'

/** What can be done with a file: one list for the ⋯ button and the right mouse button. */
export type FileActions = (file: FileEntry) => readonly MenuItem[]

export function useFileActions({
  onRename,
  onDelete,
}: {
  onRename: (file: FileEntry) => void
  onDelete: (file: FileEntry) => void
}): FileActions {
  const network = useNetwork()
  const navigate = useNavigate()
  const search = useSearch({ from: '/files' })
  return useMemo(() => {
    const copy = async (text: string, told: string) => {
      await navigator.clipboard.writeText(text)
      toastDone(told)
    }
    return (file) => {
      const { cid, fileName, encryption } = file
      const openAt = (url: string) => window.open(url, '_blank', 'noopener,noreferrer')
      const details = () => void navigate({ to: '/files/$cid', params: { cid }, search })
      return [
        { id: 'details', label: words.files.details, icon: Info, run: details },
        ...(encryption
          ? [
              {
                id: 'share',
                label: words.files.share,
                icon: UserPlus,
                run: () => void navigate({ to: '/files/$cid/access', params: { cid }, search: { share: true } }),
              },
            ]
          : [
              {
                id: 'gateway',
                label: words.files.openGateway,
                icon: ExternalLink,
                run: () => void openAt(gatewayUrl(network, cid, { filename: fileName })),
              },
              {
                id: 'download',
                label: words.files.download,
                icon: Download,
                run: () => void openAt(gatewayUrl(network, cid, { download: true, filename: fileName })),
              },
            ]),
        {
          id: 'copy-link',
          label: words.files.copyLink,
          icon: Link2,
          run: () => void copy(`${location.origin}/open/${cid}`, words.files.linkCopied),
        },
        { id: 'copy-cid', label: words.files.copyCid, icon: Copy, run: () => void copy(cid, words.files.cidCopied) },
        {
          id: 'publish',
          label: words.files.publish,
          icon: Signpost,
          run: () => void navigate({ to: '/names', search: { publish: cid } }),
        },
        { id: 'rename', label: words.files.rename, icon: Pencil, run: () => onRename(file) },
        { id: 'delete', label: words.files.delete, icon: Trash2, isDanger: true, run: () => onDelete(file) },
      ]
    }
  }, [network, navigate, search, onRename, onDelete])
}
