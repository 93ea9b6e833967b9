import { translatable } from '../translatable.ts'

/** Titles of the pages in the navigation. */
export const pages = translatable('pages', {
  files: 'Files',
  shared: 'Shared',
  links: 'Links',
  names: 'Names',
  billing: 'Billing',
  proofs: 'Proofs',
  activity: 'Activity',
  apiKeys: 'API keys',
  settings: 'Settings',
  status: 'Status',
})
