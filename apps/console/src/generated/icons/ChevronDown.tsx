// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const ChevronDown = createIcon(<><path d="m6 9 6 6 6-6" /></>)
