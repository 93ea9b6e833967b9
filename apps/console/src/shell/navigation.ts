import { Blocks, Database, Files, type IconComponent, KeyRound, Settings, Signpost, Users } from '#icons'
import { words } from '../words/words.ts'

export type Place = {
  to: '/files' | '/shared' | '/names' | '/storage' | '/proofs' | '/keys' | '/settings'
  label: string
  icon: IconComponent
}

/** The places of the console, in the order of the rail. */
export const places: readonly Place[] = [
  { to: '/files', label: words.shell.files, icon: Files },
  { to: '/shared', label: words.shell.shared, icon: Users },
  { to: '/names', label: words.shell.names, icon: Signpost },
  { to: '/storage', label: words.shell.storage, icon: Database },
  { to: '/proofs', label: words.shell.proofs, icon: Blocks },
  { to: '/keys', label: words.shell.keys, icon: KeyRound },
  { to: '/settings', label: words.shell.settings, icon: Settings },
]

/** So many of them stand in the bottom bar of a phone. */
export const barPlaces = 4
