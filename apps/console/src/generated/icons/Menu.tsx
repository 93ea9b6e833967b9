// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const Menu = createIcon(<><path d="M4 5h16" /><path d="M4 12h16" /><path d="M4 19h16" /></>)
