import type { DriveUpload } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { CopyCheck, Files, Trash2 } from '#icons'
import { plainSizeText } from '../content/plain-size.ts'
import type { ShownDrive } from '../drive-index/shown-drive.ts'
import { useDriveVersion } from '../drive-index/use-drive.ts'
import { messages } from '../messages/messages.ts'
import { queryClient } from '../network/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'
import { FileName } from '../ui/values/FileName.tsx'
import { ListedNames } from '../ui/values/ListedNames.tsx'
import { Places } from './Places.tsx'
import { StillListing } from './StillListing.tsx'

/** Maximum number of groups shown: those with the most bytes. */
const maxShown = 500

/** Content that was uploaded several times, found by its CID. */
export function DuplicatesView({ shown }: { shown: ShownDrive }) {
  const version = useDriveVersion(shown)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drive is read again when its version changes.
  const groups = useMemo(() => shown.drive.duplicates(), [shown, version])
  const [removing, setRemoving] = useState<readonly DriveUpload[]>([])
  const all = useMemo(() => groups.flatMap(({ copies }) => copies), [groups])
  const remove = useMutation({
    mutationFn: () => shown.drive.removeCopies({ ids: removing.map(({ id }) => id) }),
    onSuccess: ({ uploads }) => toastDone(messages.files.deleted(uploads)),
    onError: (error) => toastError(messages.drive.copiesFailed, error),
    onSettled: async () => {
      setRemoving([])
      await queryClient.invalidateQueries({ queryKey: ['files'] })
      await queryClient.invalidateQueries({ queryKey: ['usage'] })
    },
  })
  return (
    <>
      <PageHeader title={messages.pages.files} hint={messages.drive.count(groups.length)}>
        {groups.length === 0 ? undefined : (
          <Button size="small" onClick={() => setRemoving(all)}>
            <Trash2 aria-hidden="true" size={15} />
            <span className="max-sm:sr-only">{messages.drive.duplicatesRemoveAll(plainSizeText(all))}</span>
          </Button>
        )}
      </PageHeader>
      <Places />
      {groups.length === 0 ? undefined : (
        <p className="mb-2 max-w-prose text-ink-soft text-sm">{messages.drive.duplicatesHint}</p>
      )}
      {shown.drive.isListed ? undefined : <StillListing />}
      {groups.length === 0 ? (
        shown.drive.isListed ? (
          <EmptyState icon={CopyCheck} title={messages.drive.duplicatesNone} hint={messages.drive.duplicatesNoneHint} />
        ) : undefined
      ) : (
        <ul aria-label={messages.drive.place.duplicates}>
          {groups.slice(0, maxShown).map(({ item, copies }) => (
            // Several versions of one file may have copies.
            <li
              key={`${item.id} ${copies[0]?.cid}`}
              className="flex items-center gap-3 border-line border-b px-1 py-2.5 sm:px-3"
            >
              <Files aria-hidden="true" size={18} strokeWidth={1.7} className="shrink-0 text-ink-faint" />
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium text-sm">
                  <FileName name={item.name} />
                </p>
                <p className="text-ink-soft text-sm max-sm:line-clamp-2 sm:truncate">
                  {messages.drive.duplicatesOf(item.path, copies.length + 1)}
                  {' · '}
                  {plainSizeText(copies)}
                </p>
              </div>
              <Button size="small" onClick={() => setRemoving(copies)}>
                {messages.drive.duplicatesRemove}
                <span className="sr-only">{item.name}</span>
              </Button>
            </li>
          ))}
          {groups.length > maxShown ? (
            <li className="px-1 py-2.5 text-ink-soft text-sm sm:px-3">
              {messages.files.andMore(groups.length - maxShown)}
            </li>
          ) : undefined}
        </ul>
      )}
      <Confirm
        isOpen={removing.length > 0}
        onClose={() => setRemoving([])}
        title={messages.drive.duplicatesTitle(removing.length)}
        hint={messages.drive.duplicatesWarning}
        confirmLabel={messages.drive.duplicatesRemove}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <ListedNames items={removing.map(({ id, fileName }) => ({ id, name: fileName }))} />
      </Confirm>
    </>
  )
}
