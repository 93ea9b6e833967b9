import { files } from './en/files.ts'
import { keys } from './en/keys.ts'
import { places } from './en/places.ts'
import { session } from './en/session.ts'
import { settings } from './en/settings.ts'
import { shell } from './en/shell.ts'
import { status } from './en/status.ts'
import { transfers } from './en/transfers.ts'
import { upload } from './en/upload.ts'
import { welcome } from './en/welcome.ts'

/** English: one object for each part of the console, functions where a text has figures or names in it. */
export const en = { files, keys, places, session, settings, shell, status, transfers, upload, welcome }
