/** How the network is. */
export const status = {
  title: 'Status',
  hint: (network: string) => `Parts of the network “${network}”, as this browser sees them.`,
  service: 'Storage service',
}
