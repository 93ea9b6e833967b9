import { listFilesPage } from '@cairn/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Blocks } from '#icons'
import { useOwnFile } from '../drive-index/own-files.ts'
import { shorten } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { QueryView } from '../ui/states/QueryView.tsx'
import { FileName } from '../ui/values/FileName.tsx'
import { CopiesCard } from './CopiesCard.tsx'
import { DealTag } from './DealTag.tsx'

/** Each row fetches its deals, so few are shown at a time. */
const pageRows = 20

/** The files of the account, the progress of their proofs, and the number of copies. */
export function ProofsPage({ session }: { session: Session }) {
  const client = useClient()
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['files', session.address, 'proofs'],
    queryFn: ({ signal, pageParam }) =>
      listFilesPage(client, { limit: pageRows, ...(pageParam === '' ? {} : { lastKey: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ fileList }) => (fileList.length < pageRows ? undefined : fileList.at(-1)?.id),
  })
  // Private files have no deals.
  const files = data?.pages.flatMap(({ fileList }) => fileList.filter(({ private: isPrivate = false }) => !isPrivate))
  return (
    <>
      <PageHeader title={messages.pages.proofs} hint={messages.proofs.hint} />
      <QueryView query={{ data: files, error, refetch }} skeleton="h-40 w-full">
        {(files) => (
          <div className="flex flex-col gap-6">
            <CopiesCard session={session} />
            {files.length === 0 ? (
              <EmptyState icon={Blocks} title={messages.proofs.none} hint={messages.proofs.noneHint} />
            ) : (
              <ul
                aria-label={messages.proofs.listLabel}
                className="divide-y divide-line rounded-lg border border-line bg-surface"
              >
                {files.map(({ id, cid, fileName }) => (
                  <ProofRow key={id} cid={cid} fileName={fileName} />
                ))}
              </ul>
            )}
            {hasNextPage ? (
              <Button className="self-center" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {isFetchingNextPage ? messages.proofs.loadingMore : messages.proofs.showMore}
              </Button>
            ) : undefined}
          </div>
        )}
      </QueryView>
    </>
  )
}

/** A file, by the name that it has in the drive; on a phone, its progress is below. */
function ProofRow({ cid, fileName }: { cid: string; fileName: string }) {
  const name = useOwnFile(cid)?.name ?? fileName
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5 text-sm hover:bg-hover">
      <Link
        to="/proofs/$cid"
        params={{ cid }}
        aria-label={messages.proofs.of(markControls(name))}
        className="min-w-0 flex-1 basis-40 truncate font-medium after:absolute after:inset-0 hover:underline"
      >
        <FileName name={name} />
      </Link>
      <span className="hidden shrink-0 font-mono text-ink-soft sm:inline">{shorten(cid)}</span>
      <DealTag cid={cid} />
    </li>
  )
}
