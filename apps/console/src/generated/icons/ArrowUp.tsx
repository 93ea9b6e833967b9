// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const ArrowUp = createIcon(<><path d="m5 12 7-7 7 7" /><path d="M12 19V5" /></>)
