import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Copy, Download, ExternalLink, Info, Link2, Pencil, Signpost, Trash2, UserPlus } from '#icons'
import { openContent, saveContent } from '../content/open-content.ts'
import { isKnownFolder } from '../content/use-is-folder.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { downloadDecrypted } from '../preview/download-decrypted.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useClient } from '../session/use-client.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { toastError, toastLink } from '../ui/toasts/toast-store.ts'
import { copyCid } from './copy-cids.ts'
import { copyOpenLink } from './copy-open-link.ts'
import type { ListedFile } from './listed-file.ts'
import type { SignedContent } from './SignLinkDialog.tsx'

/** Actions on a file: one list for the ⋯ button and the context menu. */
export type FileActions = (file: ListedFile) => readonly MenuItem[]

export function useFileActions({
  onRename,
  onDelete,
  onSignLink,
  onZip,
}: {
  onRename: (file: ListedFile) => void
  onDelete: (file: ListedFile) => void
  onSignLink: (content: SignedContent) => void
  /** Saves a stored folder as a ZIP. */
  onZip: (file: ListedFile) => void
}): FileActions {
  const network = useNetwork()
  const client = useClient()
  const needKeyClient = useKeyClient()
  const navigate = useNavigate()
  const search = useSearch({ from: '/files' })
  return useMemo(() => {
    return (file) => {
      const { cid, fileName, mimeType, encryption, private: isPrivate = false } = file
      const place = { cidPath: cid, isPrivate }
      const onFailed = (error: unknown) => toastError(messages.files.openFailed(fileName), error)
      const openInTab = async () => {
        const blocked = await openContent(client, network, place, fileName)
        if (blocked === undefined) return
        toastLink(messages.files.tabBlocked, messages.files.tabBlockedHint(fileName), {
          label: messages.files.open,
          href: blocked,
        })
      }
      const download = async () => {
        try {
          if (encryption) {
            const sizeBytes = Number(file.fileSizeInBytes)
            await downloadDecrypted(network, needKeyClient, { cid, name: fileName === '' ? cid : fileName, sizeBytes })
          } else await saveContent(client, network, place, fileName)
        } catch (error) {
          if (!isAborted(error)) toastError(messages.files.downloadFailed(fileName), error)
        }
      }
      const details = () => void navigate({ to: '/files/$cid', params: { cid }, search: { ...search, tab: 'details' } })
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
                isAtOnce: true,
                run: () => void openInTab().catch(onFailed),
              },
            ]),
        isKnownFolder(cid)
          ? { id: 'download', label: messages.files.download, icon: Download, run: () => onZip(file) }
          : {
              id: 'download',
              label: messages.files.download,
              icon: Download,
              isAtOnce: true,
              run: () => void download(),
            },
        isPrivate
          ? {
              id: 'sign-link',
              label: messages.files.signLink,
              icon: Link2,
              run: () => onSignLink({ cidPath: cid, name: fileName, mimeType }),
            }
          : {
              id: 'copy-link',
              label: messages.files.copyLink,
              icon: Link2,
              run: () => void copyOpenLink(cid, encryption),
            },
        {
          id: 'copy-cid',
          label: messages.files.copyCid,
          icon: Copy,
          run: () => void copyCid(cid),
        },
        // Content published under a name is open to everyone.
        ...(isPrivate
          ? []
          : [
              {
                id: 'publish',
                label: messages.files.publish,
                icon: Signpost,
                run: () => void navigate({ to: '/names', search: { publish: cid } }),
              },
            ]),
        { id: 'rename', label: messages.files.rename, icon: Pencil, run: () => onRename(file) },
        { id: 'delete', label: messages.files.delete, icon: Trash2, isDanger: true, run: () => onDelete(file) },
      ]
    }
  }, [network, client, needKeyClient, navigate, search, onRename, onDelete, onSignLink, onZip])
}
