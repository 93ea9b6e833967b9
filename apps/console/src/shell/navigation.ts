import { Blocks, Database, Files, type IconComponent, KeyRound, Settings, Signpost, Users } from '#icons'
import { messages } from '../messages/messages.ts'

export type Place = {
  to: '/files' | '/shared' | '/names' | '/storage' | '/proofs' | '/keys' | '/settings'
  label: string
  icon: IconComponent
}

/** The places of the console, in the order of the rail. */
export const places: readonly Place[] = [
  { to: '/files', label: messages.shell.files, icon: Files },
  { to: '/shared', label: messages.shell.shared, icon: Users },
  { to: '/names', label: messages.shell.names, icon: Signpost },
  { to: '/storage', label: messages.shell.storage, icon: Database },
  { to: '/proofs', label: messages.shell.proofs, icon: Blocks },
  { to: '/keys', label: messages.shell.keys, icon: KeyRound },
  { to: '/settings', label: messages.shell.settings, icon: Settings },
]

/** Number of places in the bottom bar of a phone. */
export const barPlaces = 4
