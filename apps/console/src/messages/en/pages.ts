/** Titles of the pages in the navigation. */
export const pages = {
  files: 'Files',
  shared: 'Shared',
  names: 'Names',
  storage: 'Billing',
  proofs: 'Proofs',
  keys: 'API keys',
  settings: 'Settings',
  status: 'Status',
}
