import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Copy, Download, ExternalLink, Info, Link2, Pencil, Signpost, Trash2, UserPlus } from '#icons'
import { isKnownFolder } from '../content/use-is-folder.ts'
import { messages } from '../messages/messages.ts'
import { gatewayUrl } from '../network/gateway-url.ts'
import { useNetwork } from '../network/use-network.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { toastDone } from '../ui/toast-store.ts'
import type { ListedFile } from './listed-file.ts'

/** Actions on a file: one list for the ⋯ button and the context menu. */
export type FileActions = (file: ListedFile) => readonly MenuItem[]

export function useFileActions({
  onRename,
  onDelete,
}: {
  onRename: (file: ListedFile) => void
  onDelete: (file: ListedFile) => void
}): FileActions {
  const network = useNetwork()
  const navigate = useNavigate()
  const search = useSearch({ from: '/files' })
  return useMemo(() => {
    const copy = async (text: string, message: string) => {
      await navigator.clipboard.writeText(text)
      toastDone(message)
    }
    return (file) => {
      const { cid, fileName, encryption } = file
      const openAt = (url: string) => window.open(url, '_blank', 'noopener,noreferrer')
      const details = () => void navigate({ to: '/files/$cid', params: { cid }, search })
      return [
        { id: 'details', label: messages.files.details, icon: Info, run: details },
        ...(encryption
          ? [
              {
                id: 'share',
                label: messages.files.share,
                icon: UserPlus,
                run: () => void navigate({ to: '/files/$cid/access', params: { cid }, search: { share: true } }),
              },
            ]
          : [
              {
                id: 'gateway',
                label: messages.files.openGateway,
                icon: ExternalLink,
                run: () => void openAt(gatewayUrl(network, cid, { filename: fileName })),
              },
              {
                id: 'download',
                label: messages.files.download,
                icon: Download,
                run: () =>
                  void openAt(
                    gatewayUrl(network, cid, { download: true, filename: fileName, isFolder: isKnownFolder(cid) }),
                  ),
              },
            ]),
        {
          id: 'copy-link',
          label: messages.files.copyLink,
          icon: Link2,
          run: () => void copy(`${location.origin}/open/${cid}`, messages.files.linkCopied),
        },
        {
          id: 'copy-cid',
          label: messages.files.copyCid,
          icon: Copy,
          run: () => void copy(cid, messages.files.cidCopied),
        },
        {
          id: 'publish',
          label: messages.files.publish,
          icon: Signpost,
          run: () => void navigate({ to: '/names', search: { publish: cid } }),
        },
        { id: 'rename', label: messages.files.rename, icon: Pencil, run: () => onRename(file) },
        { id: 'delete', label: messages.files.delete, icon: Trash2, isDanger: true, run: () => onDelete(file) },
      ]
    }
  }, [network, navigate, search, onRename, onDelete])
}
