/** Titles of the pages in the navigation. */
export const pages = {
  files: 'Files',
  shared: 'Shared',
  names: 'Names',
  billing: 'Billing',
  proofs: 'Proofs',
  apiKeys: 'API keys',
  settings: 'Settings',
  status: 'Status',
}
