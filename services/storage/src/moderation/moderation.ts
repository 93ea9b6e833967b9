export { countDenial } from './denials.ts'
export { createDenylist, type Denylist, guardPacks, guardSource, guardWriter } from './denylist.ts'
export { type OpenDenylist, openDenylist } from './open-denylist.ts'
export { type DenylistRule, parseDenylist } from './parse-denylist.ts'
