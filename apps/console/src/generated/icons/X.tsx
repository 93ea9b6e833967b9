// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const X = createIcon(<><path d="M18 6 6 18" /><path d="m6 6 12 12" /></>)
