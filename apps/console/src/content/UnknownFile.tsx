import { CairnError } from '@cairn/sdk'
import { ExternalLink, FileQuestion } from '#icons'
import { messages } from '../messages/messages.ts'
import { gatewayUrl } from '../network/gateway-url.ts'
import { useNetwork } from '../network/use-network.ts'
import { buttonClass } from '../ui/Button.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'

/** A CID that this service does not store is not an error: it may be stored elsewhere. */
export function UnknownFile({ cid, error, onRetry }: { cid: string; error: unknown; onRetry: () => unknown }) {
  const network = useNetwork()
  if (CairnError.is(error, 'NOT_FOUND')) {
    return (
      <EmptyState icon={FileQuestion} title={messages.preview.notFoundTitle} hint={messages.preview.notFoundHint}>
        <a href={gatewayUrl(network, cid)} target="_blank" rel="noopener noreferrer" className={buttonClass('plain')}>
          <ExternalLink aria-hidden="true" size={16} />
          {messages.files.openGateway}
        </a>
      </EmptyState>
    )
  }
  return <ErrorState error={error} onRetry={onRetry} />
}
