// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const Circle = createIcon(<><circle cx="12" cy="12" r="10" /></>)
