import { messages } from '../messages/messages.ts'
import { Spinner } from '../ui/Spinner.tsx'

/** Says that a place of the drive may have more than it shows: until all files are listed, older ones are missing in it. */
export function StillListing() {
  return (
    <p role="status" className="flex items-center gap-2 px-1 py-3 text-sm sm:px-3">
      <Spinner />
      {messages.drive.placeListing}
    </p>
  )
}
