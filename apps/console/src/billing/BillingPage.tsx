import { messages } from '../messages/messages.ts'
import type { Session } from '../session/session-store.ts'
import { PageHeader } from '../ui/PageHeader.tsx'
import { BuyStorage } from './BuyStorage.tsx'
import { EgressCard } from './EgressCard.tsx'
import { PaymentList } from './PaymentList.tsx'
import { UsageCard } from './UsageCard.tsx'

/** Storage limit, usage and payments, and buying more. */
export function BillingPage({ session }: { session: Session }) {
  return (
    <>
      <PageHeader title={messages.pages.billing} hint={messages.billing.hint} />
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col gap-6 xl:order-1">
          <BuyStorage session={session} />
        </div>
        <div className="flex min-w-0 flex-col gap-8">
          <UsageCard session={session} />
          <EgressCard session={session} />
          <PaymentList session={session} />
        </div>
      </div>
    </>
  )
}
