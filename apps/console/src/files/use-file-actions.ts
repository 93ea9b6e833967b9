import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Copy, Download, ExternalLink, Info, Link2, Pencil, Signpost, Trash2, UserPlus } from '#icons'
import { openContent, saveContent } from '../content/open-content.ts'
import { isKnownFolder } from '../content/use-is-folder.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { useClient } from '../session/use-client.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { toastDone, toastError, toastLink } from '../ui/toast-store.ts'
import type { ListedFile } from './listed-file.ts'
import type { SignedContent } from './SignLinkDialog.tsx'

/** Actions on a file: one list for the ⋯ button and the context menu. */
export type FileActions = (file: ListedFile) => readonly MenuItem[]

export function useFileActions({
  onRename,
  onDelete,
  onSignLink,
}: {
  onRename: (file: ListedFile) => void
  onDelete: (file: ListedFile) => void
  onSignLink: (content: SignedContent) => void
}): FileActions {
  const network = useNetwork()
  const client = useClient()
  const navigate = useNavigate()
  const search = useSearch({ from: '/files' })
  return useMemo(() => {
    const copy = async (text: string, message: string) => {
      await navigator.clipboard.writeText(text)
      toastDone(message)
    }
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
                isAtOnce: true,
                run: () => void openInTab().catch(onFailed),
              },
              {
                id: 'download',
                label: messages.files.download,
                icon: Download,
                isAtOnce: true,
                run: () => {
                  const options = { filename: fileName, isFolder: isKnownFolder(cid) }
                  saveContent(client, network, place, options).catch(onFailed)
                },
              },
            ]),
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
              run: () => void copy(`${location.origin}/open/${cid}`, messages.files.linkCopied),
            },
        {
          id: 'copy-cid',
          label: messages.files.copyCid,
          icon: Copy,
          run: () => void copy(cid, messages.files.cidCopied),
        },
        // A name opens for everyone.
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
  }, [network, client, navigate, search, onRename, onDelete, onSignLink])
}
