// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const ArrowDown = createIcon(<><path d="M12 5v14" /><path d="m19 12-7 7-7-7" /></>)
