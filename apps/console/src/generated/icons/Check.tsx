// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const Check = createIcon(<><path d="M20 6 9 17l-5-5" /></>)
