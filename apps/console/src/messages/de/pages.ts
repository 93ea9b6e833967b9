import type { Texts } from '../texts.ts'

/** Titles of the pages in the navigation. */
export const pages: Texts['pages'] = {
  files: 'Dateien',
  shared: 'Freigaben',
  links: 'Links',
  names: 'Namen',
  billing: 'Abrechnung',
  proofs: 'Nachweise',
  activity: 'Aktivität',
  apiKeys: 'API-Schlüssel',
  settings: 'Einstellungen',
  status: 'Status',
}
