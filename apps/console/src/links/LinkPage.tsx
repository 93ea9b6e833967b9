import { CairnError, createClient, inspectLink, openLink } from '@cairn/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import { Suspense, useEffect, useMemo } from 'react'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'
import { LinkCover } from './LinkCover.tsx'
import { LinkProblem } from './LinkProblem.tsx'

// The viewer is fetched while the visitor reads who shared the link.
const loadOpenedPage = async () => (await import('./OpenedPage.tsx')).OpenedPage
const OpenedPage = lazyPart(loadOpenedPage)

/**
 * The page of a link, for people without a wallet. The key of the link stays in the fragment of the address: it is neither
 * sent nor stored.
 */
export function LinkPage() {
  const { id } = useParams({ from: '/link/$id' })
  const key = useLocation({ select: ({ hash }) => hash })
  const url = `${location.origin}/link/${id}#${key}`
  return (
    <div className="mx-auto w-full max-w-2xl">
      <OneLink key={url} url={url} />
    </div>
  )
}

function OneLink({ url }: { url: string }) {
  const network = useNetwork()
  // Without an API key, also for users who are signed in: a link is the same for everyone.
  const client = useMemo(() => createClient({ network }), [network])
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['link', url],
    queryFn: ({ signal }) => inspectLink(client, url, { signal }),
    refetchOnWindowFocus: false,
  })
  const open = useMutation({
    mutationFn: (password: string | undefined) => openLink(client, url, password === undefined ? {} : { password }),
    gcTime: 0,
  })
  const canOpen = data !== undefined
  useEffect(() => {
    if (canOpen) void loadOpenedPage()
  }, [canOpen])
  if (open.data !== undefined) {
    return (
      <Suspense fallback={<Waiting />}>
        <OpenedPage link={open.data} />
      </Suspense>
    )
  }
  if (error !== null && !isFetching) return <LinkProblem error={error} onRetry={() => refetch()} />
  if (data === undefined) return <Waiting />
  const isWrongPassword = data.needsPassword && CairnError.is(open.error, 'ACCESS_DENIED')
  if (open.error !== null && !isWrongPassword) return <LinkProblem error={open.error} onRetry={open.reset} />
  return <LinkCover info={data} isBusy={open.isPending} isWrongPassword={isWrongPassword} onOpen={open.mutate} />
}

function Waiting() {
  return (
    <p className="grid min-h-60 place-items-center">
      <Spinner label={messages.linkPage.loading} size={24} />
    </p>
  )
}
