import { useNavigate } from '@tanstack/react-router'
import { ArrowUpDown, CircleUser, type IconComponent, Keyboard, Monitor, Moon, Sun, Upload } from '#icons'
import { messages } from '../../messages/messages.ts'
import { useSession } from '../../session/session-store.ts'
import { changeSettings, type Settings } from '../../theme/settings.ts'
import { showTransfers } from '../../transfers/panel-store.ts'
import { openUploadSheet } from '../../upload/upload-sheet-store.ts'
import { useSignInLabel } from '../../wallet/use-sign-in-label.ts'
import { openWalletDialog } from '../../wallet/wallet-dialog-store.ts'
import { places } from '../navigation.ts'
import { showOverlay } from '../shell-overlay.ts'

/** An entry of the palette. `aliases` are other words that find it. */
export type Command = {
  id: string
  label: string
  aliases?: string
  icon: IconComponent
  run: () => void
}

const themeIcons: Record<Settings['theme'], IconComponent> = { system: Monitor, light: Sun, dark: Moon }

/** Returns what the palette offers besides files: the actions of every page, and the pages. */
export function useCommands(): { actions: readonly Command[]; pages: readonly Command[] } {
  const navigate = useNavigate()
  const isSignedIn = useSession() !== undefined
  const signInLabel = useSignInLabel()
  const { palette, settings, transfers } = messages
  return {
    actions: [
      ...(isSignedIn
        ? [
            { id: 'upload', label: palette.upload, aliases: palette.uploadAliases, icon: Upload, run: openUploadSheet },
            { id: 'transfers', label: transfers.open, icon: ArrowUpDown, run: () => showTransfers(true) },
          ]
        : []),
      {
        id: 'account',
        label: isSignedIn ? palette.account : signInLabel,
        aliases: palette.accountAliases,
        icon: CircleUser,
        run: openWalletDialog,
      },
      ...(['light', 'dark', 'system'] as const).map((theme) => ({
        id: `theme-${theme}`,
        label: palette.theme(settings.themes[theme]),
        icon: themeIcons[theme],
        run: () => changeSettings({ theme }),
      })),
      { id: 'shortcuts', label: messages.shortcuts.title, icon: Keyboard, run: () => showOverlay('shortcuts') },
    ],
    pages: places.map(({ to, title, icon }) => ({ id: to, label: title(), icon, run: () => void navigate({ to }) })),
  }
}
