import { SignInGate } from '../../session/SignInGate.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { words } from '../../words/words.ts'
import { BuyStorage } from './BuyStorage.tsx'
import { PaymentList } from './PaymentList.tsx'
import { UsageCard } from './UsageCard.tsx'

/** What the account may store, does, and paid; and more of it. */
export function StoragePage() {
  return (
    <SignInGate>
      {(session) => (
        <>
          <PageHeader title={words.storage.title} hint={words.storage.hint} />
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
