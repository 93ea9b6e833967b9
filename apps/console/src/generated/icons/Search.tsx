// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.
import { createIcon } from '../../ui/create-icon.tsx'

export const Search = createIcon(<><path d="m21 21-4.34-4.34" /><circle cx="11" cy="11" r="8" /></>)
