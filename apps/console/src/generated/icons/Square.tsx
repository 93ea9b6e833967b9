// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const Square = createIcon(<><rect width="18" height="18" x="3" y="3" rx="2" /></>)
