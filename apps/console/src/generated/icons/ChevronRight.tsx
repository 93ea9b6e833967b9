// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const ChevronRight = createIcon(<><path d="m9 18 6-6-6-6" /></>)
