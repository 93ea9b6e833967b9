import { messages } from '../messages/messages.ts'
import { Spinner } from '../ui/states/Spinner.tsx'

/** States that the drive is still listing files, so that older ones may be missing here. */
export function StillListing() {
  return (
    <p role="status" className="flex items-center gap-2 px-1 py-3 text-sm sm:px-3">
      <Spinner />
      {messages.drive.placeListing}
    </p>
  )
}
