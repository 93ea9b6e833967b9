// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const Plus = createIcon(<><path d="M5 12h14" /><path d="M12 5v14" /></>)
