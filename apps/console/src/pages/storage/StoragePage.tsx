import { messages } from '../../messages/messages.ts'
import { SignInGate } from '../../session/SignInGate.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { BuyStorage } from './BuyStorage.tsx'
import { PaymentList } from './PaymentList.tsx'
import { UsageCard } from './UsageCard.tsx'

/** Storage limit, usage and payments, and buying more. */
export function StoragePage() {
  return (
    <SignInGate>
      {(session) => (
        <>
          <PageHeader title={messages.storage.title} hint={messages.storage.hint} />
          <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_24rem]">
            <div className="flex min-w-0 flex-col gap-6 xl:order-1">
              <BuyStorage session={session} />
            </div>
            <div className="flex min-w-0 flex-col gap-8">
              <UsageCard session={session} />
              <PaymentList session={session} />
            </div>
          </div>
        </>
      )}
    </SignInGate>
  )
}
